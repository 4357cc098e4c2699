//! Alertmanager and Grafana: messages about alerts and their state, such as firing or resolved.

use super::delivery::{Delivery, RenderedDelivery, WebhookMessage};
use super::payload::PayloadValue;
use super::python_text::{MAX_JSON_LENGTH, python_str};
use crate::error::Error;
use std::collections::HashMap;

/// `endsAt` of an alert that is still firing.
const NOT_ENDED: &str = "0001-01-01T00:00:00Z";

/// Makes at most two messages for each topic: one with the firing alerts and one with the resolved alerts.
pub fn render_alertmanager(delivery: &Delivery<'_>) -> Result<RenderedDelivery, Error> {
    let params = delivery.params;
    // Topics with their firing and their resolved alerts, in the order of their first alerts.
    let mut topics: Vec<(&str, [Vec<String>; 2])> = Vec::new();
    let mut topic_indexes: HashMap<&str, usize> = HashMap::new();
    for alert in delivery.root().require("alerts")?.items()? {
        let find_field = |name: &str| -> Result<Option<&str>, Error> {
            for kind in ["labels", "annotations"] {
                if let Some(value) = alert.find(kind)?.map(|values| values.find(name)).transpose()?.flatten() {
                    return value.text().map(Some);
                }
            }
            Ok(None)
        };
        let topic = find_field(&params.name)?.unwrap_or("(unknown)");
        let missing_field = format!("<missing field: {}>", params.desc);
        let description = find_field(&params.desc)?.unwrap_or(&missing_field);
        let url = alert.text_of("generatorURL")?.replace("tab=1", "tab=0");
        let status = alert.require("status")?.one_of(&["firing", "resolved"])?;
        let index = *topic_indexes.entry(topic).or_insert_with(|| {
            topics.push((topic, Default::default()));
            topics.len() - 1
        });
        topics[index].1[usize::from(status == "resolved")].push(format!("{description} ([source]({url}))"));
    }
    let titles = [(":alert:", "FIRING"), (":squared_ok:", "Resolved")];
    let messages_of_topic = |(topic, alerts): &(&str, [Vec<String>; 2])| {
        let topic = (*topic).to_owned();
        let messages = titles.iter().zip(alerts).map(move |((icon, title), alerts)| {
            let content = match alerts.as_slice() {
                [] => return None,
                [alert] => format!("{icon} **{title}** {alert}"),
                alerts => format!("{icon} **{title}**\n* {}", alerts.join("\n* ")),
            };
            Some(WebhookMessage { topic: topic.clone(), content, ..WebhookMessage::default() })
        });
        messages.flatten().collect::<Vec<_>>()
    };
    Ok(RenderedDelivery {
        messages: topics.iter().flat_map(messages_of_topic).collect(),
        ..RenderedDelivery::default()
    })
}

/// Makes a message for each alert of Grafana 8 and later, or one message for the alert of an earlier version.
pub fn render_grafana(delivery: &Delivery<'_>) -> Result<RenderedDelivery, Error> {
    let payload = delivery.root();
    let Some(alerts) = payload.find("alerts")? else { return render_legacy_alert(&payload) };
    let messages: Result<Vec<WebhookMessage>, Error> =
        alerts.items()?.map(|alert| render_grafana_alert(&alert)).collect();
    Ok(RenderedDelivery { messages: messages?, ..RenderedDelivery::default() })
}

fn render_grafana_alert(alert: &PayloadValue<'_>) -> Result<WebhookMessage, Error> {
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
        for (name, value) in values.members()? {
            // A message is cut off before this length. Without the limit, deeply nested values could take far more
            // space here than in the payload, because of their indentation.
            if lines.len() > MAX_JSON_LENGTH {
                break;
            }
            lines.push_str(&format!("- {name}: {}\n", python_str(value.value())));
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

/// The alert in a payload of Grafana before version 8.
fn render_legacy_alert(payload: &PayloadValue<'_>) -> Result<RenderedDelivery, Error> {
    let topic = payload.text_of("title")?;
    let mut metrics = String::new();
    if let Some(matches) = payload.find("evalMatches")?.filter(|matches| !matches.value().is_null()) {
        for eval_match in matches.items()? {
            let value = eval_match.require("value")?;
            if !(value.value().is_null() || value.value().is_number()) {
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
