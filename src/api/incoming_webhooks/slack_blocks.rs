//! Slack's blocks and attachments as Markdown.

use super::payload::Part;
use crate::error::Error;

const BLOCK_TYPES: [&str; 7] = ["actions", "context", "divider", "header", "image", "input", "section"];

/// The pieces of a text that are not blank, with an empty line between them.
pub fn joined(pieces: impl IntoIterator<Item = String>) -> String {
    let pieces = pieces.into_iter().map(|piece| piece.trim().to_owned()).filter(|piece| !piece.is_empty());
    pieces.collect::<Vec<_>>().join("\n\n")
}

/// A block; "" for one that makes no text.
pub fn block(block: &Part<'_>) -> Result<String, Error> {
    Ok(match block.key("type")?.word(&BLOCK_TYPES)? {
        "context" => match block.non_empty("elements")? {
            Some(elements) => joined(elements.items()?.map(|one| context(&one)).collect::<Result<Vec<_>, _>>()?),
            None => String::new(),
        },
        "divider" => "----".to_owned(),
        "header" => format!("## {}", text_block(&block.key("text")?, &["plain_text"])?),
        "image" => {
            let (url, mut label) = (block.key("image_url")?.address()?, block.text_of("alt_text")?);
            if let Some(title) = block.find("title")? {
                label = text_block(&title, &["plain_text"])?;
            }
            format!("[{label}]({url})")
        }
        "section" => section(block)?,
        _ => String::new(),
    })
}

fn context(element: &Part<'_>) -> Result<String, Error> {
    match element.key("type")?.word(&["image", "plain_text", "mrkdwn"])? {
        "image" => picture(element),
        _ => any_text(element).map(str::to_owned),
    }
}

fn section(block: &Part<'_>) -> Result<String, Error> {
    let mut pieces = Vec::new();
    if let Some(text) = block.find("text")? {
        pieces.push(any_text(&text)?.to_owned());
    }
    if let Some(accessory) = block.find("accessory")? {
        pieces.push(picture(&accessory)?);
    }
    if let Some(fields) = block.find("fields")? {
        let fields: Vec<&str> = fields.items()?.map(|field| any_text(&field)).collect::<Result<_, _>>()?;
        pieces.push(if let [only] = fields.as_slice() { (*only).to_owned() } else { table(&fields) });
    }
    Ok(joined(pieces))
}

/// Fields in two columns, with an empty head.
fn table(fields: &[&str]) -> String {
    let cell = |field: Option<&&str>| field.map(|field| field.replace(['\n', '|'], " ")).unwrap_or_default();
    let rows = fields.chunks(2).map(|pair| format!("| {} | {} |\n", cell(pair.first()), cell(pair.get(1))));
    format!("| | |\n|-|-|\n{}", rows.collect::<String>())
}

fn any_text<'a>(block: &Part<'a>) -> Result<&'a str, Error> {
    text_block(block, &["plain_text", "mrkdwn"])
}

fn text_block<'a>(block: &Part<'a>, types: &[&str]) -> Result<&'a str, Error> {
    block.key("type")?.word(types)?;
    block.text_of("text")
}

/// A picture; "" for buttons and menus.
fn picture(element: &Part<'_>) -> Result<String, Error> {
    if element.text_of("type")? != "image" {
        return Ok(String::new());
    }
    Ok(format!("[{}]({})", element.text_of("alt_text")?, element.key("image_url")?.address()?))
}

/// An attachment, Slack's older format: its title, texts, fields, blocks, picture, footer and time, in this order.
pub fn attachment(attachment: &Part<'_>) -> Result<String, Error> {
    let mut pieces = Vec::new();
    if let Some(title) = attachment.non_empty("title")? {
        let title = title.text()?;
        pieces.push(match attachment.non_empty("title_link")? {
            Some(link) => format!("## [{title}]({})", link.address()?),
            None => format!("## {title}"),
        });
    }
    for name in ["pretext", "text"] {
        if let Some(text) = attachment.non_empty(name)? {
            pieces.push(text.text()?.to_owned());
        }
    }
    if let Some(fields) = attachment.find("fields")? {
        let lines: Vec<Option<String>> = fields.items()?.map(|one| field(&one)).collect::<Result<_, _>>()?;
        pieces.push(lines.into_iter().flatten().collect::<Vec<_>>().join("\n"));
    }
    if let Some(blocks) = attachment.non_empty("blocks")? {
        pieces.extend(blocks.items()?.map(|one| block(&one)).collect::<Result<Vec<_>, _>>()?);
    }
    if let Some(url) = attachment.non_empty("image_url")? {
        pieces.push(format!("[]({})", url.address()?));
    }
    if let Some(footer) = attachment.non_empty("footer")? {
        pieces.push(footer.text()?.to_owned());
    }
    if attachment.non_empty("ts")?.is_some() {
        pieces.push(format!("<time:{}>", attachment.number_of("ts")?));
    }
    Ok(joined(pieces))
}

fn field(field: &Part<'_>) -> Result<Option<String>, Error> {
    let said = |name: &str| field.non_empty(name)?.map(|part| part.text()).transpose();
    Ok(match (said("title")?, said("value")?) {
        (Some(title), Some(value)) => Some(format!("*{title}*: {value}")),
        (Some(title), None) => Some(format!("*{title}*")),
        (None, Some(value)) => Some(value.to_owned()),
        (None, None) => None,
    })
}
