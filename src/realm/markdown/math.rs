//! TeX: recognized and wrapped, but not typeset. The wrapping is that of section 23, so that clients find the source in
//! its annotation; what they would show is the source too.

use super::html;

/// Commands that are known. Any other is an error, as it is for typesetting.
const COMMANDS: &str = include_str!("math/commands.txt");

const NAMESPACE: &str = "http://www.w3.org/1998/Math/MathML";

/// `$$x$$` at the start of `text`: its HTML and its length.
pub(super) fn inline(before: &str, text: &str) -> Option<(String, usize)> {
    let word = |char: char| char.is_alphanumeric() || char == '_';
    if before.ends_with(|char: char| char == '$' || word(char)) {
        return None;
    }
    let inside = text.strip_prefix("$$")?;
    let end = source_length(inside)?;
    let behind = inside[end..].strip_prefix("$$")?;
    let source = &inside[..end];
    if source.is_empty() || source.starts_with('_') || behind.starts_with(|char: char| char == '$' || word(char)) {
        return None;
    }
    let html = if is_valid(source) {
        katex(source, false)
    } else {
        html::element("span", &[("class", "tex-error")], &html::text(&format!("$${source}$$")))
    };
    Some((html, end + 4))
}

/// Where the next dollar sign is that no backslash protects, on the same line.
fn source_length(text: &str) -> Option<usize> {
    let mut protected = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'$' if !protected => return Some(at),
            b'\n' => return None,
            _ => protected = byte == b'\\' && !protected,
        }
    }
    None
}

/// A block of math: a paragraph for each part between blank lines.
pub(super) fn display(body: &str) -> Vec<String> {
    let parts = body.split("\n\n").map(str::trim).filter(|part| !part.is_empty());
    let paragraph = |source: &str| {
        let content = if is_valid(source) {
            html::element("span", &[("class", "katex-display")], &katex(source, true))
        } else {
            html::element("span", &[("class", "tex-error")], &html::text(source))
        };
        html::element("p", &[], &content)
    };
    parts.map(paragraph).collect()
}

fn katex(source: &str, display: bool) -> String {
    let source = html::text(source);
    let row = html::element("mrow", &[], &html::element("mtext", &[], &source));
    let annotation = html::element("annotation", &[("encoding", "application/x-tex")], &source);
    let semantics = html::element("semantics", &[], &(row + &annotation));
    let attributes = [("xmlns", NAMESPACE), ("display", "block")];
    let math = html::element("math", if display { &attributes } else { &attributes[..1] }, &semantics);
    let math = html::element("span", &[("class", "katex-mathml")], &math);
    let shown = html::element("span", &[("class", "katex-html"), ("aria-hidden", "true")], &source);
    html::element("span", &[("class", "katex")], &(math + &shown))
}

/// Whether the source could be typeset: braces and environments match, scripts have something to carry, and commands
/// are known.
fn is_valid(source: &str) -> bool {
    let mut braces = 0_usize;
    let mut left = 0_usize;
    let mut environments = 0_usize;
    let mut script_waits = false;
    let mut chars = source.char_indices().peekable();
    while let Some((at, char)) = chars.next() {
        let script = matches!(char, '^' | '_');
        let closes = match char {
            '{' => {
                braces += 1;
                false
            }
            '}' if braces == 0 => return false,
            '}' => {
                braces -= 1;
                true
            }
            '\\' => {
                let name = &source[at + 1..];
                let length = name.bytes().take_while(u8::is_ascii_alphabetic).count();
                for _ in 0..length.max(1) {
                    if chars.next().is_none() {
                        return false;
                    }
                }
                match &name[..length] {
                    "left" => left += 1,
                    "right" if left == 0 => return false,
                    "right" => left -= 1,
                    "begin" => environments += 1,
                    "end" if environments == 0 => return false,
                    "end" => environments -= 1,
                    command if !command.is_empty() && !is_command(command) => return false,
                    _ => {}
                }
                false
            }
            '$' | '#' => return false,
            _ => false,
        };
        if script_waits && (script || closes) {
            return false;
        }
        script_waits = script || (script_waits && char.is_whitespace());
    }
    braces == 0 && left == 0 && environments == 0 && !script_waits
}

fn is_command(name: &str) -> bool {
    COMMANDS.split_ascii_whitespace().any(|command| command == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn valid_and_invalid_sources() {
        for source in [
            "x",
            r"\frac{a}{b}",
            r"x^2_1",
            r"\left( \sum_{i=1}^n i \right)",
            r"a \\ b \{ \}",
            r"\begin{matrix}1\end{matrix}",
        ] {
            assert!(is_valid(source), "{source}");
        }
        for source in [r"\nosuchcommand", "{", "}", "x^", "x^^2", r"\left(", r"\end{a}", "a\\", "x_}", "{x^}"] {
            assert!(!is_valid(source), "{source}");
        }
    }

    #[test]
    fn where_inline_math_may_be() {
        for (before, text) in [
            ("", "$$x"),
            ("a", "$$x$$"),
            ("$", "$$x$$"),
            ("", "$$$$"),
            ("", "$$x$$a"),
            ("", "$$a\nb$$"),
            ("", "$$_x$$"),
        ] {
            assert_eq!(inline(before, text), None, "{before}{text}");
        }
        assert!(inline("(", "$$x$$)").is_some());
    }
}
