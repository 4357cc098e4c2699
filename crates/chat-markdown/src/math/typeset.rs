//! Typesets TeX with KaTeX.
//!
//! The library orders attributes and styles differently than the KaTeX version of real servers, and some of its output
//! is that of later versions. `to_server_html` converts it to the output of real servers.

use katex::{KatexContext, Settings, render_to_string};
use regex::Regex;
use std::sync::LazyLock;

/// Longer sources are not typeset.
const MAX_SOURCE_BYTES: usize = 2_000;

/// Sources with deeper nesting of groups are not typeset.
const MAX_DEPTH: usize = 60;

/// Commands that define macros, which could expand a short source to a huge one.
const DEFINING_COMMANDS: [&str; 10] = [
    "\\def",
    "\\gdef",
    "\\edef",
    "\\xdef",
    "\\let",
    "\\futurelet",
    "\\newcommand",
    "\\renewcommand",
    "\\providecommand",
    "\\global",
];

/// Stack size of the thread, because typesetting is deeply recursive.
const STACK_BYTES: usize = 64 << 20;

/// Commands, and characters that begin or end groups, comments and lines.
static TOKEN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?s)\\(?:[A-Za-z@]+|.)|[{}%\n]").expect("the pattern is well-formed, as a test checks")
});

static KATEX: LazyLock<KatexContext> = LazyLock::new(KatexContext::default);

/// CSS properties in the order of the output. `position` is after margins; with it, `top` is last.
const STYLE_ORDER: [&str; 12] = [
    "color",
    "height",
    "width",
    "min-width",
    "vertical-align",
    "border-bottom-width",
    "padding-left",
    "top",
    "left",
    "margin-left",
    "margin-right",
    "position",
];

/// Attributes in the order of the output.
const ATTRIBUTE_ORDER: [&str; 24] = [
    "class",
    "style",
    "aria-hidden",
    "encoding",
    "xmlns",
    "display",
    "mathvariant",
    "mathcolor",
    "fence",
    "stretchy",
    "minsize",
    "separator",
    "lspace",
    "rspace",
    "rowspacing",
    "columnalign",
    "columnspacing",
    "scriptlevel",
    "displaystyle",
    "accent",
    "width",
    "height",
    "viewBox",
    "preserveAspectRatio",
];

/// Italic corrections: rounded as in the library's output, and with all digits as in the output of real servers.
const ITALIC_CORRECTIONS: [(&str, &str); 93] = [
    ("0.0077", "0.00773"),
    ("0.0097", "0.00965"),
    ("0.0139", "0.01389"),
    ("0.0144", "0.01445"),
    ("0.0197", "0.01968"),
    ("0.0269", "0.02691"),
    ("0.0278", "0.02778"),
    ("0.0283", "0.02826"),
    ("0.0304", "0.03041"),
    ("0.0315", "0.03148"),
    ("0.0359", "0.03588"),
    ("0.0369", "0.03694"),
    ("0.0379", "0.03785"),
    ("0.0387", "0.03868"),
    ("0.0403", "0.04028"),
    ("0.044", "0.04398"),
    ("0.046", "0.04601"),
    ("0.0502", "0.05017"),
    ("0.0528", "0.05278"),
    ("0.0556", "0.05556"),
    ("0.0565", "0.05653"),
    ("0.0572", "0.05724"),
    ("0.0576", "0.05764"),
    ("0.0583", "0.05834"),
    ("0.0599", "0.05986"),
    ("0.0631", "0.06312"),
    ("0.0637", "0.06366"),
    ("0.0662", "0.06616"),
    ("0.0665", "0.06646"),
    ("0.0696", "0.06961"),
    ("0.0715", "0.07153"),
    ("0.0738", "0.07378"),
    ("0.0751", "0.07514"),
    ("0.0757", "0.07569"),
    ("0.0767", "0.07671"),
    ("0.0778", "0.07778"),
    ("0.0785", "0.07847"),
    ("0.0794", "0.07944"),
    ("0.0799", "0.07986"),
    ("0.0813", "0.08125"),
    ("0.0821", "0.08208"),
    ("0.0822", "0.08222"),
    ("0.0829", "0.08295"),
    ("0.0872", "0.08722"),
    ("0.0885", "0.08847"),
    ("0.0894", "0.08944"),
    ("0.0919", "0.09194"),
    ("0.0921", "0.09208"),
    ("0.094", "0.09403"),
    ("0.0949", "0.09486"),
    ("0.096", "0.09597"),
    ("0.0962", "0.09618"),
    ("0.0969", "0.09694"),
    ("0.0993", "0.09931"),
    ("0.1026", "0.10257"),
    ("0.1033", "0.10333"),
    ("0.1047", "0.10474"),
    ("0.1051", "0.10514"),
    ("0.1053", "0.10528"),
    ("0.1076", "0.10764"),
    ("0.1081", "0.10806"),
    ("0.109", "0.10903"),
    ("0.1111", "0.11111"),
    ("0.1158", "0.11585"),
    ("0.1175", "0.11752"),
    ("0.1197", "0.11972"),
    ("0.1203", "0.12028"),
    ("0.1204", "0.12042"),
    ("0.1229", "0.12292"),
    ("0.1242", "0.12417"),
    ("0.1331", "0.13305"),
    ("0.1356", "0.13556"),
    ("0.1364", "0.13639"),
    ("0.1389", "0.13889"),
    ("0.1403", "0.14028"),
    ("0.1447", "0.14467"),
    ("0.1453", "0.14528"),
    ("0.1464", "0.14643"),
    ("0.1474", "0.14736"),
    ("0.1492", "0.14917"),
    ("0.1529", "0.15294"),
    ("0.1538", "0.15382"),
    ("0.1581", "0.15806"),
    ("0.1619", "0.16194"),
    ("0.1639", "0.16389"),
    ("0.1836", "0.18361"),
    ("0.1847", "0.18472"),
    ("0.1938", "0.19383"),
    ("0.1945", "0.19445"),
    ("0.2119", "0.21194"),
    ("0.2222", "0.22222"),
    ("0.2542", "0.25417"),
    ("0.4445", "0.44445"),
];

/// The widths of spaces, and the characters that real servers show for them.
const SPACE_CHARACTERS: [(&str, &str); 6] = [
    ("0.1667em", "\u{2009}"),
    ("0.2222em", "\u{2005}"),
    ("0.2778em", "\u{2005}\u{200a}"),
    ("-0.1667em", "\u{2009}\u{2063}"),
    ("-0.2222em", "\u{2005}\u{2063}"),
    ("-0.2778em", "\u{205f}\u{2063}"),
];

/// Large operators that the library does not convert to characters.
const OPERATOR_CHARACTERS: [(&str, &str); 16] = [
    ("\\int", "∫"),
    ("\\iint", "∬"),
    ("\\iiint", "∭"),
    ("\\oint", "∮"),
    ("\\sum", "∑"),
    ("\\prod", "∏"),
    ("\\coprod", "∐"),
    ("\\bigcup", "⋃"),
    ("\\bigcap", "⋂"),
    ("\\bigvee", "⋁"),
    ("\\bigwedge", "⋀"),
    ("\\bigoplus", "⨁"),
    ("\\bigotimes", "⨂"),
    ("\\bigodot", "⨀"),
    ("\\biguplus", "⨄"),
    ("\\bigsqcup", "⨆"),
];

/// The HTML of a source. None: it is invalid, too large or nested too deeply, it defines macros, or the library panics.
/// `is_display` is for formulas on separate lines.
pub(super) fn typeset(source: &str, is_display: bool) -> Option<String> {
    let has_definition = DEFINING_COMMANDS.iter().any(|command| source.contains(command));
    if source.len() > MAX_SOURCE_BYTES || nesting_depth(source) > MAX_DEPTH || has_definition {
        return None;
    }
    let render = || render_to_string(&KATEX, source, &Settings::builder().display_mode(is_display).build()).ok();
    // The library might panic, which ends only this thread.
    let html = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, render);
        thread.ok().and_then(|thread| thread.join().ok()).flatten()
    })?;
    Some(to_server_html(html.trim()))
}

/// The maximum nesting of groups, or more after a comment or verbatim text, in which nothing counts as the end of a
/// group.
fn nesting_depth(source: &str) -> usize {
    let (mut depth, mut max_depth) = (0_usize, 0);
    let mut may_be_verbatim = false;
    for token in TOKEN.find_iter(source) {
        match token.as_str() {
            "{" | "\\left" | "\\begin" | "\\begingroup" | "\\bgroup" => depth += 1,
            "}" | "\\right" | "\\end" | "\\endgroup" | "\\egroup" if !may_be_verbatim => {
                depth = depth.saturating_sub(1);
            }
            "%" | "\\verb" => may_be_verbatim = true,
            "\n" => may_be_verbatim = false,
            _ => {}
        }
        max_depth = max_depth.max(depth);
    }
    max_depth
}

/// Converts the library's HTML to that of real servers.
fn to_server_html(html: &str) -> String {
    let mut output = String::with_capacity(html.len());
    let mut remaining = html;
    while let Some(start) = remaining.find('<') {
        output.push_str(&remaining[..start]);
        let Some(length) = remaining[start..].find('>') else { break };
        let (tag, following) = remaining[start..].split_at(length + 1);
        remaining = following;
        let space = SPACE_CHARACTERS.iter().find(|(width, _)| {
            tag.strip_prefix("<mspace width=\"").is_some_and(|value| value.starts_with(&format!("{width}\"")))
        });
        if let Some((_, space)) = space.filter(|_| tag.ends_with("/>")) {
            output.extend(["<mtext>", space, "</mtext>"]);
            continue;
        }
        push_tag(&mut output, tag, !following.starts_with('<'));
        let text = following.split('<').next().unwrap_or_default();
        if let Some((_, operator)) = OPERATOR_CHARACTERS.iter().find(|(command, _)| tag == "<mo>" && text == *command) {
            output.push_str(operator);
            remaining = &following[text.len()..];
        }
    }
    output.push_str(remaining);
    output
}

fn rank(order: &[&str], name: &str) -> usize {
    order.iter().position(|known| *known == name).unwrap_or(order.len())
}

/// Appends a tag with its attributes in order. `precedes_text` is whether text follows the tag directly.
fn push_tag(output: &mut String, tag: &str, precedes_text: bool) {
    let inside = tag.trim_end_matches('>').trim_end_matches('/');
    let Some((name, mut attributes)) = inside.split_once(' ') else {
        output.push_str(tag);
        return;
    };
    let mut sorted_attributes: Vec<(&str, String)> = Vec::new();
    while let Some((attribute, following)) = attributes.trim_start().split_once("=\"") {
        let Some((value, following)) = following.split_once('"') else { break };
        let value = match attribute {
            "style" => sort_styles(value, precedes_text),
            "columnalign" => column_alignments(value),
            "displaystyle" => value.trim_end_matches(';').to_owned(),
            _ => value.to_owned(),
        };
        sorted_attributes.push((attribute, value));
        attributes = following;
    }
    sorted_attributes.sort_by_key(|(attribute, _)| (rank(&ATTRIBUTE_ORDER, attribute), attribute.to_owned()));
    output.push_str(name);
    for (attribute, value) in sorted_attributes {
        output.extend([" ", attribute, "=\"", &value, "\""]);
    }
    output.push_str(&tag[inside.len()..]);
}

/// Sorts the CSS properties of a `style` attribute, and gives italic corrections all their digits.
fn sort_styles(value: &str, precedes_text: bool) -> String {
    let mut styles: Vec<(&str, &str)> = value.split(';').filter_map(|style| style.split_once(':')).collect();
    let has_position = styles.iter().any(|(name, _)| *name == "position");
    let sort_rank =
        |name: &str| if has_position && name == "top" { STYLE_ORDER.len() } else { rank(&STYLE_ORDER, name) };
    styles.sort_by_key(|(name, _)| (sort_rank(name), *name));
    let mut output = String::new();
    for (name, value) in styles {
        let number = value.strip_suffix("em").filter(|_| precedes_text && name == "margin-right");
        let correction = number.and_then(|number| ITALIC_CORRECTIONS.iter().find(|(rounded, _)| *rounded == number));
        match correction {
            Some((_, correction)) => output.extend([name, ":", correction, "em;"]),
            None if value == "-0em" => output.extend([name, ":0em;"]),
            None => output.extend([name, ":", value, ";"]),
        }
    }
    output
}

/// Converts the letters of column alignments to words.
fn column_alignments(value: &str) -> String {
    let word = |letter| match letter {
        "c" => "center",
        "l" => "left",
        "r" => "right",
        other => other,
    };
    value.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_become_html() {
        let html = typeset("x_i^2", false).unwrap_or_default();
        assert!(html.starts_with("<span class=\"katex\"><span class=\"katex-mathml\"><math xmlns="), "{html}");
        assert!(html.contains("<annotation encoding=\"application/x-tex\">x_i^2</annotation>"), "{html}");
        assert!(html.contains("<span class=\"strut\" style=\"height:"), "{html}");
        assert!(typeset("x", true).unwrap_or_default().starts_with("<span class=\"katex-display\">"));
        assert!(typeset("rl", false).unwrap_or_default().contains("margin-right:0.02778em;"));
        assert!(
            typeset("\\sum x\\,y", false).unwrap_or_default().contains("<mo>∑</mo><mi>x</mi><mtext>\u{2009}</mtext>")
        );
    }

    #[test]
    fn invalid_and_too_large_sources_are_not_typeset() {
        let nested = |opening: &str, closing: &str| format!("{}x{}", opening.repeat(300), closing.repeat(300));
        let too_deep = |opening: &str| format!("{}x{}", opening.repeat(MAX_DEPTH + 1), "}".repeat(MAX_DEPTH + 1));
        for source in [
            "\\nosuch",
            "{",
            "x^",
            "a & b",
            "\\<script>",
            "a\u{2}b",
            "\\def\\a{x}\\a",
            &nested("{", "}"),
            &nested("\\frac{", "}y"),
            &too_deep("{\\rightarrow "),
            &too_deep("{\\}"),
            &too_deep("{%}\n"),
            &too_deep("{\\verb|}|"),
        ] {
            assert_eq!(typeset(source, false), None, "{source}");
        }
        for source in
            [nested("\\left(", "\\right)"), nested("^{", "}"), nested("\\sqrt", ""), "x_1^2+".repeat(200) + "y"]
        {
            // The test is that this returns.
            typeset(&source, true);
        }
    }

    #[test]
    fn commands_that_begin_like_those_of_groups_are_no_groups() {
        for command in ["\\leftarrow ", "\\leftrightarrow ", "\\{"] {
            assert!(typeset(&command.repeat(MAX_DEPTH + 1), false).is_some(), "{command}");
        }
    }

    #[test]
    fn the_same_source_has_the_same_html() {
        let source = "\\begin{matrix}a & b\\end{matrix} \\int_0^1 x' \\sqrt{2}";
        let first = typeset(source, true);
        assert!(first.is_some());
        assert!((0..5).all(|_| typeset(source, true) == first));
    }
}
