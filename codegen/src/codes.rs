//! Registry of the codes that diagnostics have. `docs/diagnostics.md` is made from it.

use crate::{check, examples, resolve, rust, syntax};

/// Code, title and explanation of every kind of problem, in the order of the codes.
///
/// Codes are stable: one that is no longer used is not given to something else.
#[must_use]
pub fn all() -> Vec<(&'static str, &'static str, &'static str)> {
    let lists = [
        syntax::codes::CODES,
        resolve::codes::CODES,
        check::codes::CODES,
        rust::codes::CODES,
        examples::CODES,
    ];
    let mut all: Vec<_> = lists.into_iter().flatten().copied().collect();
    all.sort_by_key(|(code, ..)| *code);
    all
}

/// What a code means, for people: title and explanation. `None` if there is no such code; case
/// does not matter.
#[must_use]
pub fn explain(code: &str) -> Option<String> {
    let (code, title, explanation) =
        all().into_iter().find(|(known, ..)| known.eq_ignore_ascii_case(code.trim()))?;
    Some(format!("{code}: {title}\n\n{explanation}\n"))
}

/// The page that lists every code, as Markdown.
#[must_use]
pub fn page() -> String {
    let mut page = String::from(
        "# Diagnostics\n\n\
         Every problem with a schema has a code. `formwork explain CODE` prints the same text.\n\n\
         The first digits say which part of the front end found it: `E01` the text itself, `E02` \
         names and types, `E03` homes and sizes, `E04` choices, `E05` equations, `E06` placement, \
         `E07` everything else. `E08` is what Rust cannot say, which only generating code finds, and \
         `E09` what reading the examples of a schema finds, which `formwork check` does.\n",
    );
    for (code, title, explanation) in all() {
        page.push_str(&format!("\n## {code}: {title}\n\n{explanation}\n"));
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_distinct_and_well_formed() {
        let all = all();
        for pair in all.windows(2) {
            assert!(pair[0].0 < pair[1].0, "{} twice", pair[0].0);
        }
        for (code, title, explanation) in &all {
            let digits = code.strip_prefix('E').expect("begins with E");
            assert!(digits.len() == 4 && digits.bytes().all(|b| b.is_ascii_digit()), "{code}");
            assert!(!title.is_empty() && !title.ends_with('.'), "{code}: {title}");
            assert!(explanation.ends_with('.'), "{code}: {explanation}");
        }
    }

    #[test]
    fn explain_ignores_case() {
        let text = explain(" e0301").expect("the code exists");
        assert!(text.starts_with("E0301: rows overlap\n\n"));
        assert_eq!(explain("E9999"), None);
    }
}
