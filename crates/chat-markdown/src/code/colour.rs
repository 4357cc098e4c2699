//! Code as HTML with a span per piece.

use super::super::html;
use super::{languages, lexer, session};

/// HTML of code as a feature level has it. None for a language whose code isn't coloured.
pub(super) fn spans(language: &str, code: &str, level: i64) -> Option<String> {
    let tokens = match language {
        "Bash Session" => session::session(code),
        language => lexer::tokens(languages::table(language)?, code, level),
    };
    let mut out = String::with_capacity(code.len() * 4);
    // The class of the span that is open. Neighbours of one class share it, within a line.
    let mut open = "";
    for token in tokens {
        for (index, part) in token.text.split('\n').enumerate() {
            if index > 0 {
                close(&mut out, &mut open);
                out.push('\n');
            }
            if part.is_empty() {
                continue;
            }
            if token.class != open {
                close(&mut out, &mut open);
                if !token.class.is_empty() {
                    out.push_str("<span class=\"");
                    out.push_str(token.class);
                    out.push_str("\">");
                }
                open = token.class;
            }
            html::push_text(&mut out, part);
        }
    }
    close(&mut out, &mut open);
    Some(out)
}

fn close(out: &mut String, open: &mut &'static str) {
    if !std::mem::take(open).is_empty() {
        out.push_str("</span>");
    }
}
