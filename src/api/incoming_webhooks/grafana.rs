//! Grafana: messages about alerts and their state, such as firing or resolved.

use super::delivery::{Delivery, RenderedDelivery, WebhookMessage};
use super::payload::PayloadValue;
use super::python_text::{MAX_JSON_LENGTH, python_str};
use crate::error::Error;

/// `endsAt` of an alert that is still firing.
const NOT_ENDED: &str = "0001-01-01T00:00:00Z";

/// Makes a message for each alert of Grafana 8 and later, or one message for the alert of an earlier version.
pub fn render(delivery: &Delivery<'_>) -> Result<RenderedDelivery, Error> {
    let payload = delivery.root();
    let Some(alerts) = payload.find("alerts")? else { return render_legacy(&payload) };
    let messages: Result<Vec<WebhookMessage>, Error> = alerts.items()?.map(|alert| render_alert(&alert)).collect();
    Ok(RenderedDelivery { messages: messages?, ..RenderedDelivery::default() })
}

fn render_alert(alert: &PayloadValue<'_>) -> Result<WebhookMessage, Error> {
    let status = alert.require("status")?.one_of(&["firing", "resolved"])?;
    let icon = if status == "firing" { ":alert:" } else { ":checkbox:" };
    let mut content = format!("{icon} **{}**\n\n", status.to_uppercase());
    let labels = alert.require("labels")?;
    let name = match labels.find_non_empty("alertname")? {
        Some(name) => {
            let name = name.text()?;
            content.push_str(&format!("**{name}**\n\n"));
            name
        }
        None => alert.text_of("fingerprint")?,
    };
    content.push_str(&format!("This alert was fired at <time:{}>.", alert.text_of("startsAt")?));
    let end = alert.text_of("endsAt")?;
    if end != NOT_ENDED {
        content.push_str(&format!("\n\nThis alert was resolved at <time:{end}>."));
    }
    if let Some(labels) = alert.find_non_empty("labels")? {
        content.push_str(&format!("\n\nLabels:\n{}\n", bullet_list(&labels)?));
    }
    if let Some(values) = alert.find_non_empty("values")? {
        let mut lines = String::new();
        for (reference, value) in values.members()? {
            // A message is cut off before this length. Without the limit, deeply nested values could take far more
            // space here than in the payload, because of their indentation.
            if lines.len() > MAX_JSON_LENGTH {
                break;
            }
            lines.push_str(&format!("- {reference}: {}\n", python_str(value.value())));
        }
        content.push_str(&format!("Values:\n{lines}\n"));
    } else if let Some(values) = alert.find_non_empty("valueString")? {
        content.push_str(&format!("Values:\n{}\n\n", values.text()?));
    }
    if let Some(annotations) = alert.find_non_empty("annotations")? {
        content.push_str(&format!("Annotations:\n{}", bullet_list(&annotations)?));
    }
    // These have to be present, but may be empty.
    alert.require("generatorURL")?;
    alert.require("silenceURL")?;
    for (label, key) in [("Generator", "generatorURL"), ("Silence", "silenceURL"), ("Image", "imageURL")] {
        if let Some(url) = alert.find_non_empty(key)? {
            content.push_str(&format!("\n[{label}]({})", url.text()?));
        }
    }
    content.push('\n');
    Ok(WebhookMessage { topic: format!("[{name}]"), content, event: Some(status.to_owned()), channel: None })
}

fn bullet_list(values: &PayloadValue<'_>) -> Result<String, Error> {
    values.members()?.map(|(name, value)| Ok(format!("- {name}: {}\n", value.text()?))).collect()
}

/// Makes the message about the alert in a payload of Grafana before version 8.
fn render_legacy(payload: &PayloadValue<'_>) -> Result<RenderedDelivery, Error> {
    let topic = payload.text_of("title")?;
    let mut metrics = String::new();
    if let Some(matches) = payload.find("evalMatches")?.filter(|matches| !matches.value().is_null()) {
        for eval_match in matches.items()? {
            let value = eval_match.require("value")?;
            if !(value.value().is_null() || value.value().is_number()) {
                // The words of real servers.
                return Err(Error::bad_value("value", "is not an allowed_type"));
            }
            metrics.push_str(&format!("**{}:** {}\n", eval_match.text_of("metric")?, python_str(value.value())));
        }
    }
    let message = match payload.find("message")? {
        Some(message) => format!("{}\n\n", message.text()?),
        None => String::new(),
    };
    let state = payload.require("state")?.one_of(&["no_data", "paused", "alerting", "ok", "pending", "unknown"])?;
    let icon = match state {
        "alerting" => ":alert:",
        "ok" => ":squared_ok:",
        _ => ":info:",
    };
    let (rule, url) = (payload.text_of("ruleName")?, payload.text_of("ruleUrl")?);
    let mut content = format!("{icon} **{}**\n\n[{rule}]({url})\n\n{message}{metrics}", state.to_uppercase());
    if let Some(image) = payload.find("imageUrl")? {
        content.push_str(&format!("\n[Click to view visualization]({})", image.text()?));
    }
    Ok(RenderedDelivery::of_event(state, topic, content.trim()))
}
