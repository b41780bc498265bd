//! "Did you mean": the known word that is nearest to an unknown one.

/// The nearest of `known` to `word`, if it is near enough.
pub(crate) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Names of schemas are short; longer words are not worth the time.
    if word.len() > 64 {
        return None;
    }
    let limit = (word.chars().count() / 3).max(1);
    known
        .into_iter()
        // What is known by this very name is known elsewhere, and of no help here.
        .filter(|k| k.len() <= 64 && *k != word)
        .map(|k| (distance(word, k), k))
        .filter(|&(d, k)| d <= limit || (k.len() > 3 && k.eq_ignore_ascii_case(word)))
        .min_by_key(|&(d, _)| d)
        .map(|(_, k)| k)
}

/// Number of letters to insert, delete, replace or swap with their neighbour.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 0..a.len() {
        let mut row = vec![i + 1];
        for j in 0..b.len() {
            let change = last[j] + usize::from(a[i] != b[j]);
            let mut best = change.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
                best = best.min(before[j - 1] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_words() {
        let known = ["struct", "union", "string", "enum"];
        assert_eq!(nearest("strcut", known), Some("struct"));
        assert_eq!(nearest("Union", known), Some("union"));
        assert_eq!(nearest("whatever", known), None);
        assert_eq!(nearest("e", known), None);
    }
}
