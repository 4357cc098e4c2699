//! Writes tokens of code as HTML spans.

use super::super::html;
use super::{languages, lexer, shell_session};

/// The HTML of highlighted code at a feature level. None: the language is not highlighted.
pub(super) fn highlight(language: &str, code: &str, level: i64) -> Option<String> {
    let tokens = match language {
        "Bash Session" => shell_session::tokens_of_session(code),
        language => lexer::tokens(languages::find_language(language)?, code, level),
    };
    let mut html = String::with_capacity(code.len() * 4);
    // Adjacent tokens with the same class share a span within a line.
    let mut open_class = "";
    for token in tokens {
        for (index, part) in token.text.split('\n').enumerate() {
            if index > 0 {
                close_span(&mut html, &mut open_class);
                html.push('\n');
            }
            if part.is_empty() {
                continue;
            }
            if token.class != open_class {
                close_span(&mut html, &mut open_class);
                if !token.class.is_empty() {
                    html.push_str("<span class=\"");
                    html.push_str(token.class);
                    html.push_str("\">");
                }
                open_class = token.class;
            }
            html::push_text(&mut html, part);
        }
    }
    close_span(&mut html, &mut open_class);
    Some(html)
}

fn close_span(html: &mut String, open_class: &mut &'static str) {
    if !std::mem::take(open_class).is_empty() {
        html.push_str("</span>");
    }
}
