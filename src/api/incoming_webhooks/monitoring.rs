//! Monitoring services: Alertmanager and Grafana.

use super::delivery::{Delivery, Notification, Outcome};
use super::payload::Part;
use super::python_text::{LENGTH_MAX, text_of};
use crate::error::Error;
use std::collections::HashMap;

/// `endsAt` of an alert that has not ended.
const NEVER: &str = "0001-01-01T00:00:00Z";

/// Alerts by the name that Alertmanager gives them; those that fire and those that ended have a message each.
pub fn render_alertmanager(delivery: &Delivery<'_>) -> Result<Outcome, Error> {
    let params = delivery.params;
    let mut topics: Vec<(&str, [Vec<String>; 2])> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for alert in delivery.whole().key("alerts")?.items()? {
        let field = |name: &str| -> Result<Option<&str>, Error> {
            for kind in ["labels", "annotations"] {
                if let Some(value) = alert.find(kind)?.map(|values| values.find(name)).transpose()?.flatten() {
                    return value.text().map(Some);
                }
            }
            Ok(None)
        };
        let name = field(&params.name)?.unwrap_or("(unknown)");
        let unknown = format!("<missing field: {}>", params.desc);
        let description = field(&params.desc)?.unwrap_or(&unknown);
        let url = alert.text_of("generatorURL")?.replace("tab=1", "tab=0");
        let status = alert.key("status")?.word(&["firing", "resolved"])?;
        let place = *places.entry(name).or_insert_with(|| {
            topics.push((name, Default::default()));
            topics.len() - 1
        });
        topics[place].1[usize::from(status == "resolved")].push(format!("{description} ([source]({url}))"));
    }
    let titles = [(":alert:", "FIRING"), (":squared_ok:", "Resolved")];
    let of_topic = |(topic, alerts): &(&str, [Vec<String>; 2])| {
        let topic = (*topic).to_owned();
        let messages = titles.iter().zip(alerts).map(move |((icon, title), alerts)| {
            let content = match alerts.as_slice() {
                [] => return None,
                [only] => format!("{icon} **{title}** {only}"),
                many => format!("{icon} **{title}**\n* {}", many.join("\n* ")),
            };
            Some(Notification { topic: topic.clone(), content, ..Notification::default() })
        });
        messages.flatten().collect::<Vec<_>>()
    };
    Ok(Outcome { messages: topics.iter().flat_map(of_topic).collect(), ..Outcome::default() })
}

/// Alerts of Grafana from version 8 on, a message each; or the one of an earlier version.
pub fn render_grafana(delivery: &Delivery<'_>) -> Result<Outcome, Error> {
    let payload = delivery.whole();
    let Some(alerts) = payload.find("alerts")? else { return former_alert(&payload) };
    let messages: Result<Vec<Notification>, Error> = alerts.items()?.map(|alert| grafana_alert(&alert)).collect();
    Ok(Outcome { messages: messages?, ..Outcome::default() })
}

fn grafana_alert(alert: &Part<'_>) -> Result<Notification, Error> {
    let status = alert.key("status")?.word(&["firing", "resolved"])?;
    let icon = if status == "firing" { ":alert:" } else { ":checkbox:" };
    let mut content = format!("{icon} **{}**\n\n", status.to_uppercase());
    let labels = alert.key("labels")?;
    let name = match labels.non_empty("alertname")? {
        Some(name) => {
            let name = name.text()?;
            content.push_str(&format!("**{name}**\n\n"));
            name
        }
        None => alert.text_of("fingerprint")?,
    };
    content.push_str(&format!("This alert was fired at <time:{}>.", alert.text_of("startsAt")?));
    let end = alert.text_of("endsAt")?;
    if end != NEVER {
        content.push_str(&format!("\n\nThis alert was resolved at <time:{end}>."));
    }
    if let Some(labels) = alert.non_empty("labels")? {
        content.push_str(&format!("\n\nLabels:\n{}\n", listed(&labels)?));
    }
    if let Some(values) = alert.non_empty("values")? {
        let mut lines = String::new();
        for (name, value) in values.members()? {
            // No message shows more; values may be nested, and so be longer than they came.
            if lines.len() > LENGTH_MAX {
                break;
            }
            lines.push_str(&format!("- {name}: {}\n", text_of(value.value())));
        }
        content.push_str(&format!("Values:\n{lines}\n"));
    } else if let Some(values) = alert.non_empty("valueString")? {
        content.push_str(&format!("Values:\n{}\n\n", values.text()?));
    }
    if let Some(annotations) = alert.non_empty("annotations")? {
        content.push_str(&format!("Annotations:\n{}", listed(&annotations)?));
    }
    alert.key("generatorURL")?;
    alert.key("silenceURL")?;
    for (label, key) in [("Generator", "generatorURL"), ("Silence", "silenceURL"), ("Image", "imageURL")] {
        if let Some(url) = alert.non_empty(key)? {
            content.push_str(&format!("\n[{label}]({})", url.text()?));
        }
    }
    content.push('\n');
    Ok(Notification { topic: format!("[{name}]"), content, event: Some(status.to_owned()), channel: None })
}

fn listed(values: &Part<'_>) -> Result<String, Error> {
    values.members()?.map(|(name, value)| Ok(format!("- {name}: {}\n", value.text()?))).collect()
}

/// The one alert of Grafana before version 8.
fn former_alert(payload: &Part<'_>) -> Result<Outcome, Error> {
    let topic = payload.text_of("title")?;
    let mut matches = String::new();
    if let Some(found) = payload.find("evalMatches")?.filter(|found| !found.value().is_null()) {
        for one in found.items()? {
            let value = one.key("value")?;
            if !(value.value().is_null() || value.value().is_number()) {
                return Err(Error::bad_value("value", "is not an allowed_type"));
            }
            matches.push_str(&format!("**{}:** {}\n", one.text_of("metric")?, text_of(value.value())));
        }
    }
    let message = match payload.find("message")? {
        Some(message) => format!("{}\n\n", message.text()?),
        None => String::new(),
    };
    let state = payload.key("state")?.word(&["no_data", "paused", "alerting", "ok", "pending", "unknown"])?;
    let icon = match state {
        "alerting" => ":alert:",
        "ok" => ":squared_ok:",
        _ => ":info:",
    };
    let (rule, url) = (payload.text_of("ruleName")?, payload.text_of("ruleUrl")?);
    let mut content = format!("{icon} **{}**\n\n[{rule}]({url})\n\n{message}{matches}", state.to_uppercase());
    if let Some(picture) = payload.find("imageUrl")? {
        content.push_str(&format!("\n[Click to view visualization]({})", picture.text()?));
    }
    Ok(Outcome::event(state, topic, content.trim()))
}
