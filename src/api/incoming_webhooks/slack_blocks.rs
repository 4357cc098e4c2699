//! Converts Slack's blocks and attachments to Markdown.

use super::payload::PayloadValue;
use crate::error::Error;

const BLOCK_TYPES: [&str; 7] = ["actions", "context", "divider", "header", "image", "input", "section"];

/// Trims paragraphs and joins those that are not blank, with an empty line between them.
pub fn join_paragraphs(paragraphs: impl IntoIterator<Item = String>) -> String {
    let paragraphs = paragraphs.into_iter().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    paragraphs.collect::<Vec<_>>().join("\n\n")
}

/// Converts a block; "" for actions, inputs and blocks without content, which have nothing to show.
///
/// # Errors
///
/// `InvalidValue` for a block, element or text object of an unknown type, `BadValue` for a missing or malformed member.
pub fn block_to_markdown(block: &PayloadValue<'_>) -> Result<String, Error> {
    Ok(match block.require("type")?.one_of(&BLOCK_TYPES)? {
        "context" => match block.find_non_empty("elements")? {
            Some(elements) => join_paragraphs(
                elements.items()?.map(|item| context_element_to_markdown(&item)).collect::<Result<Vec<_>, _>>()?,
            ),
            None => String::new(),
        },
        "divider" => "----".to_owned(),
        "header" => format!("## {}", read_text_object(&block.require("text")?, &["plain_text"])?),
        "image" => {
            let (url, mut label) = (block.require("image_url")?.url()?, block.text_of("alt_text")?);
            if let Some(title) = block.find("title")? {
                label = read_text_object(&title, &["plain_text"])?;
            }
            format!("[{label}]({url})")
        }
        "section" => section_to_markdown(block)?,
        _ => String::new(),
    })
}

fn context_element_to_markdown(element: &PayloadValue<'_>) -> Result<String, Error> {
    match element.require("type")?.one_of(&["image", "plain_text", "mrkdwn"])? {
        "image" => image_to_markdown(element),
        _ => read_any_text_object(element).map(str::to_owned),
    }
}

fn section_to_markdown(block: &PayloadValue<'_>) -> Result<String, Error> {
    let mut paragraphs = Vec::new();
    if let Some(text) = block.find("text")? {
        paragraphs.push(read_any_text_object(&text)?.to_owned());
    }
    if let Some(accessory) = block.find("accessory")? {
        paragraphs.push(image_to_markdown(&accessory)?);
    }
    if let Some(fields) = block.find("fields")? {
        let fields: Vec<&str> = fields.items()?.map(|field| read_any_text_object(&field)).collect::<Result<_, _>>()?;
        paragraphs.push(if let [field] = fields.as_slice() { (*field).to_owned() } else { fields_to_table(&fields) });
    }
    Ok(join_paragraphs(paragraphs))
}

/// Returns a table of the fields, with two columns and an empty header.
fn fields_to_table(fields: &[&str]) -> String {
    let cell = |field: Option<&&str>| field.map(|field| field.replace(['\n', '|'], " ")).unwrap_or_default();
    let rows = fields.chunks(2).map(|pair| format!("| {} | {} |\n", cell(pair.first()), cell(pair.get(1))));
    format!("| | |\n|-|-|\n{}", rows.collect::<String>())
}

/// The text of a text object, plain or with markup.
fn read_any_text_object<'a>(text_object: &PayloadValue<'a>) -> Result<&'a str, Error> {
    read_text_object(text_object, &["plain_text", "mrkdwn"])
}

/// The text of a text object of one of these types.
fn read_text_object<'a>(text_object: &PayloadValue<'a>, types: &[&str]) -> Result<&'a str, Error> {
    text_object.require("type")?.one_of(types)?;
    text_object.text_of("text")
}

/// Converts an image to a link; "" for other elements, such as buttons and menus.
fn image_to_markdown(element: &PayloadValue<'_>) -> Result<String, Error> {
    if element.text_of("type")? != "image" {
        return Ok(String::new());
    }
    Ok(format!("[{}]({})", element.text_of("alt_text")?, element.require("image_url")?.url()?))
}

/// Converts an attachment, the legacy format of Slack: its title, texts, fields, blocks, image, footer and time, in
/// this order.
///
/// # Errors
///
/// `BadValue` for a missing or malformed member, also of a block in the attachment; `InvalidValue` as for
/// [`block_to_markdown`].
pub fn attachment_to_markdown(attachment: &PayloadValue<'_>) -> Result<String, Error> {
    let mut paragraphs = Vec::new();
    if let Some(title) = attachment.find_non_empty("title")? {
        let title = title.text()?;
        paragraphs.push(match attachment.find_non_empty("title_link")? {
            Some(link) => format!("## [{title}]({})", link.url()?),
            None => format!("## {title}"),
        });
    }
    for name in ["pretext", "text"] {
        if let Some(text) = attachment.find_non_empty(name)? {
            paragraphs.push(text.text()?.to_owned());
        }
    }
    if let Some(fields) = attachment.find("fields")? {
        let lines: Vec<Option<String>> =
            fields.items()?.map(|item| field_to_markdown(&item)).collect::<Result<_, _>>()?;
        paragraphs.push(lines.into_iter().flatten().collect::<Vec<_>>().join("\n"));
    }
    if let Some(blocks) = attachment.find_non_empty("blocks")? {
        paragraphs.extend(blocks.items()?.map(|item| block_to_markdown(&item)).collect::<Result<Vec<_>, _>>()?);
    }
    if let Some(url) = attachment.find_non_empty("image_url")? {
        // An image has no label in the legacy format.
        paragraphs.push(format!("[]({})", url.url()?));
    }
    if let Some(footer) = attachment.find_non_empty("footer")? {
        paragraphs.push(footer.text()?.to_owned());
    }
    if attachment.find_non_empty("ts")?.is_some() {
        paragraphs.push(format!("<time:{}>", attachment.integer_of("ts")?));
    }
    Ok(join_paragraphs(paragraphs))
}

fn field_to_markdown(field: &PayloadValue<'_>) -> Result<Option<String>, Error> {
    let text = |name: &str| field.find_non_empty(name)?.map(|part| part.text()).transpose();
    Ok(match (text("title")?, text("value")?) {
        (Some(title), Some(value)) => Some(format!("*{title}*: {value}")),
        (Some(title), None) => Some(format!("*{title}*")),
        (None, Some(value)) => Some(value.to_owned()),
        (None, None) => None,
    })
}
