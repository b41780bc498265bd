//! Lines of formatted code that are put together again, as one would write them: angle brackets of a
//! call, methods of a name, and what is in brackets and fits.

/// Columns of a line that is not too long.
const COLUMNS: usize = 100;

/// The same code in fewer lines.
pub(super) fn joined(lines: Vec<String>) -> Vec<String> {
    brackets(methods(arguments(lines)))
}

/// `f::<M, E>(a, b)` in one line, or the brackets on the line of the name.
fn arguments(lines: Vec<String>) -> Vec<String> {
    let mut made = Vec::with_capacity(lines.len());
    let mut rest = lines.into_iter().peekable();
    while let Some(line) = rest.next() {
        let is_name = |line: &str| line.ends_with("::<") && !line.trim_start().starts_with("//");
        if !is_name(&line) {
            made.push(line);
            continue;
        }
        let mut types = Vec::new();
        while let Some(next) = rest.next_if(|next| is_argument(next.trim_start())) {
            types.push(next);
        }
        let close = rest.next_if(|next| next.trim_start().starts_with(">("));
        let Some(close) = close.filter(|_| !types.is_empty()) else {
            made.push(line);
            made.append(&mut types);
            continue;
        };
        let names: Vec<&str> = types.iter().map(|ty| ty.trim().trim_end_matches(',')).collect();
        let head = format!("{line}{}>(", names.join(", "));
        let tail = close.trim_start().trim_start_matches(">(");
        if tail.is_empty() {
            // What it takes stands on lines of its own.
            let only = rest.next();
            let end = rest.next_if(|end| only.is_some() && end.trim_start().starts_with(')'));
            match (only, end) {
                (Some(only), Some(end)) => {
                    let whole =
                        format!("{head}{}{}", only.trim().trim_end_matches(','), end.trim_start());
                    if fits(&whole) {
                        made.push(whole);
                    } else {
                        made.extend([head, only, end]);
                    }
                }
                (only, _) => {
                    made.push(head);
                    made.extend(only);
                }
            }
        } else if fits(&format!("{head}{tail}")) {
            made.push(format!("{head}{tail}"));
        } else if let Some((taken, end)) = whole_call(tail).filter(|_| fits(&head)) {
            let indent = " ".repeat(indent(&close));
            made.extend([head, format!("{indent}    {taken},"), format!("{indent}){end}")]);
        } else {
            made.push(line);
            made.append(&mut types);
            made.push(close);
        }
    }
    made
}

/// `a.f(…)` in place of `a`, and below it `.f(…)`, where nothing more is called.
fn methods(lines: Vec<String>) -> Vec<String> {
    let mut made: Vec<String> = Vec::with_capacity(lines.len());
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        let column = indent(line);
        let next = lines.get(at + 1).map_or("", String::as_str);
        let is_called = next.trim_start().starts_with('.') && indent(next) == column + 4;
        let name = line.trim_start();
        let end = (is_called && is_path(name)).then(|| end_of_call(&lines, at + 1)).flatten();
        let Some(end) = end else {
            made.push(line.clone());
            at += 1;
            continue;
        };
        let whole = format!("{line}{}", next.trim_start());
        let behind = lines.get(end + 1).map_or("", |line| line.trim_start());
        if behind.starts_with('.') || !fits(&whole) {
            made.push(line.clone());
            at += 1;
            continue;
        }
        made.push(whole);
        made.extend(lines[at + 2..=end].iter().map(|line| match line.strip_prefix("    ") {
            Some(line) => line.to_owned(),
            None => line.clone(),
        }));
        at = end + 1;
    }
    made
}

/// What is in brackets on the line that opens them, where all of it fits: the innermost first.
fn brackets(lines: Vec<String>) -> Vec<String> {
    let mut made: Vec<String> = Vec::with_capacity(lines.len());
    // Lines that open brackets, by where they are, with those around.
    let mut open: Vec<usize> = Vec::new();
    for line in lines {
        let column = indent(&line);
        let begin = line.trim_start();
        if begin.starts_with([')', ']']) {
            while open.last().is_some_and(|at| indent(&made[*at]) > column) {
                open.pop();
            }
            if let Some(at) = open.pop().filter(|at| indent(&made[*at]) == column)
                && let Some(whole) = in_one(&made[at..], begin)
            {
                made.truncate(at);
                made.push(whole);
                continue;
            }
        }
        if begin.ends_with(['(', '[']) && is_plain(&line) && !begin.starts_with('#') {
            open.push(made.len());
        }
        made.push(line);
    }
    made
}

/// Lines and the one behind them in one, if nothing but operators and methods is broken there.
fn in_one(lines: &[String], end: &str) -> Option<String> {
    let (first, inner) = lines.split_first()?;
    let is_code = inner.iter().all(|line| is_plain(line) && !line.ends_with(['{', ';']));
    if inner.is_empty() || !is_code || !is_plain(end) {
        return None;
    }
    let mut whole = first.clone();
    for (number, line) in inner.iter().enumerate() {
        let text = line.trim_start();
        if number > 0 && !text.starts_with(['.', ')', ']', '?']) && !whole.ends_with(['(', '[']) {
            whole.push(' ');
        }
        if text.starts_with([')', ']']) && whole.ends_with(',') {
            whole.pop();
        }
        whole.push_str(text);
        if whole.len() > COLUMNS {
            return None;
        }
    }
    // The comma of a tuple of one stays.
    let several =
        whole.matches(',').count() > 1 || !first.ends_with(" (") && !first.ends_with("((");
    if whole.ends_with(',') && several {
        whole.pop();
    }
    whole.push_str(end);
    fits(&whole).then_some(whole)
}

/// The line on which the call ends that begins on one.
fn end_of_call(lines: &[String], begin: usize) -> Option<usize> {
    let first = &lines[begin];
    if is_plain(first) && depth(first) == 0 {
        return Some(begin);
    }
    let column = indent(first);
    let end = (begin + 1..lines.len()).find(|at| indent(&lines[*at]) <= column)?;
    let inner = &lines[begin..=end];
    let is_whole = inner.iter().all(|line| is_plain(line));
    let balance: i32 = inner.iter().map(|line| depth(line)).sum();
    (is_whole && balance == 0 && indent(&lines[end]) == column).then_some(end)
}

/// What a call takes, and what is behind it, if all of that is on one line.
fn whole_call(tail: &str) -> Option<(&str, &str)> {
    if !is_plain(tail) {
        return None;
    }
    let mut open = 1;
    for (at, letter) in tail.char_indices() {
        match letter {
            '(' | '[' | '{' => open += 1,
            ')' | ']' | '}' => open -= 1,
            _ => {}
        }
        if open == 0 {
            let end = &tail[at + 1..];
            return (at > 0 && depth(end) == 0).then_some((&tail[..at], end));
        }
    }
    None
}

/// Whether a line has no brackets but those of code.
fn is_plain(line: &str) -> bool {
    !line.contains(['"', '\'']) && !line.contains("//")
}

fn depth(line: &str) -> i32 {
    line.chars().fold(0, |depth, letter| match letter {
        '(' | '[' | '{' => depth + 1,
        ')' | ']' | '}' => depth - 1,
        _ => depth,
    })
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn fits(line: &str) -> bool {
    line.chars().count() <= COLUMNS
}

/// Whether a line is nothing but a type or constant, and a comma.
fn is_argument(line: &str) -> bool {
    line.strip_suffix(',').is_some_and(|name| !name.is_empty() && !name.contains(','))
        && is_plain(line)
        && !line.starts_with('>')
}

/// Whether a line is nothing but names with dots.
fn is_path(line: &str) -> bool {
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    line.starts_with(|letter: char| letter.is_ascii_lowercase())
        && line.chars().all(|letter| is_name(letter) || letter == '.')
        && !matches!(line, "return" | "break" | "else" | "loop")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn becomes(text: &str, expected: &str) {
        let lines = joined(text.lines().map(str::to_owned).collect());
        assert_eq!(lines.join("\n"), expected);
    }

    #[test]
    fn angle_brackets_stand_beside_names() {
        becomes("let a = f::<\n    M,\n    E,\n>(cx, g(b))?;", "let a = f::<M, E>(cx, g(b))?;");
        becomes("f::<\n    4,\n>(\n    a.map(|b| c),\n)?;", "f::<4>(a.map(|b| c))?;");
        becomes(
            "rt::Ok::<\n    _,\n    s::Odd,\n>(\n    A {\n        b: 1,\n    },\n)",
            "rt::Ok::<_, s::Odd>(\n    A {\n        b: 1,\n    },\n)",
        );
        let long = format!("{}(cx)", "a".repeat(90));
        becomes(
            &format!("f::<\n    M,\n>(cx, {long})?;"),
            &format!("f::<M>(\n    cx, {long},\n)?;"),
        );
    }

    #[test]
    fn brackets_close_where_all_fits() {
        becomes(
            "s::holds(\n    n_base\n        == s::add(a, b)?\n            .unwrap_or(0),\n)?;",
            "s::holds(n_base == s::add(a, b)?.unwrap_or(0))?;",
        );
        becomes("fn f(\n    a: u8,\n    b: u8,\n) -> u8 {", "fn f(a: u8, b: u8) -> u8 {");
        becomes("f(\n    g(\n        a,\n        b,\n    ),\n    c,\n)", "f(g(a, b), c)");
        let block = "f(\n    match a {\n        _ => b,\n    },\n)";
        becomes(block, block);
        let long = format!("f(\n    {},\n    b,\n)", "a".repeat(95));
        becomes(&long, &long);
    }

    #[test]
    fn methods_stand_beside_names() {
        becomes("cx\n    .f(a)?,", "cx.f(a)?,");
        becomes("list\n    .push(A {\n        b,\n    });", "list.push(A {\n    b,\n});");
        let chain = "a\n    .b()\n    .c();";
        becomes(chain, chain);
        let text = "a\n    .b(\"(\");";
        becomes(text, text);
    }
}
