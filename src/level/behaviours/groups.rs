//! Behaviours of user groups.

use crate::api::Access;
use crate::error::Error;
use crate::level::{Behaviour, Downgrade, Request};
use crate::realm::id::GroupId;

const MEMBERSHIP_ROUTES: &[&str] =
    &["POST /user_groups/{user_group_id}/members", "POST /user_groups/{user_group_id}/subgroups"];

pub(super) static ROWS: &[Behaviour] = &[
    Behaviour {
        level: 496,
        subject: "POST /user_groups/create",
        description: "Bots are refused like other users without the permission to create groups; before, they were refused as bots.",
        test: "bots_were_refused_as_group_creators_before_496",
        downgrade: Downgrade::FormerAccess(&["POST /user_groups/create"], Access::HumanNotGuest),
    },
    Behaviour {
        level: 496,
        subject: "POST /user_groups/create",
        description: "Guests and users without the permission to create groups are refused in the same check; before, guests first.",
        test: "bots_were_refused_as_group_creators_before_496",
        downgrade: Downgrade::AdditionalAccess(&["POST /user_groups/create"], Access::GroupCreator),
    },
    Behaviour {
        level: 496,
        subject: "user groups",
        description: "Bots may make and change groups, their members and subgroups.",
        test: "bots_changed_no_groups_before_496",
        downgrade: Downgrade::AdditionalAccess(
            &[
                "POST /user_groups/create",
                "PATCH /user_groups/{user_group_id}",
                "POST /user_groups/{user_group_id}/members",
                "POST /user_groups/{user_group_id}/subgroups",
            ],
            Access::Human,
        ),
    },
    Behaviour {
        // the specification does not name these operations.
        level: 496,
        subject: "GET /user_groups, GET /user_groups/{user_group_id}/members, GET /user_groups/{user_group_id}/members/{user_id}, GET /user_groups/{user_group_id}/subgroups",
        description: "Open to bots.",
        test: "bots_listed_no_groups_before_496",
        downgrade: Downgrade::AdditionalAccess(
            &[
                "GET /user_groups",
                "GET /user_groups/{user_group_id}/members",
                "GET /user_groups/{user_group_id}/members/{user_id}",
                "GET /user_groups/{user_group_id}/subgroups",
            ],
            Access::Human,
        ),
    },
    Behaviour {
        level: 391,
        subject: "user groups",
        description: "Members and subgroups of deactivated groups may change; before, the group had to be active.",
        test: "deactivated_groups_kept_their_members_before_391",
        downgrade: Downgrade::RequestChange(MEMBERSHIP_ROUTES, |request| match is_group_deactivated(request) {
            true => Err(Error::GroupDeactivated),
            false => Ok(()),
        }),
    },
    Behaviour {
        level: 340,
        subject: "PATCH /user_groups/{user_group_id}",
        description: "All properties of deactivated groups can be changed; before, only their names (from 290 on).",
        test: "only_names_of_deactivated_groups_changed_before_340",
        downgrade: Downgrade::RequestChange(&["PATCH /user_groups/{user_group_id}"], |request| {
            let is_fixed_when_deactivated = |name: &String| name == "description" || name.starts_with("can_");
            match is_group_deactivated(request) && request.values.keys().any(is_fixed_when_deactivated) {
                true => Err(Error::GroupDeactivated),
                false => Ok(()),
            }
        }),
    },
    Behaviour {
        level: 298,
        subject: "POST /user_groups/{user_group_id}/deactivate",
        description: "CANNOT_DEACTIVATE_GROUP_IN_USE with `objections`; before, BAD_REQUEST.",
        test: "groups_in_use_were_a_bad_request_before_298",
        downgrade: Downgrade::Code { errors: &["GroupInUse"], routes: &[], status: 400, code: "BAD_REQUEST" },
    },
    Behaviour {
        level: 294,
        subject: "GET /user_groups",
        description: "Takes only `include_deactivated_groups`; before, `allow_deactivated` too (from 290 on).",
        test: "listing_deactivated_groups_had_another_parameter_from_290_to_293",
        downgrade: Downgrade::RequestChange(&["GET /user_groups"], |request| {
            if request.level >= 290
                && let Some(value) = request.values.remove("allow_deactivated")
            {
                request.values.insert("include_deactivated_groups".into(), value);
            }
            Ok(())
        }),
    },
    Behaviour {
        level: 294,
        subject: "POST /register",
        description: "Deactivated groups are sent to clients with `include_deactivated_groups`; before, to all clients (from 290 on).",
        test: "deactivated_groups_were_for_all_from_290_to_293",
        downgrade: Downgrade::RequestChange(&["POST /register"], |request| {
            if request.level >= 290 {
                request.add_capability("include_deactivated_groups");
            }
            Ok(())
        }),
    },
    Behaviour {
        level: 259,
        subject: "POST /user_groups/create",
        description: "`members` is required; before, empty by default.",
        test: "group_members_were_optional_before_259",
        downgrade: Downgrade::RequestChange(&["POST /user_groups/create"], |request| {
            request.values.entry("members".to_owned()).or_insert_with(|| "[]".to_owned());
            Ok(())
        }),
    },
    Behaviour {
        level: 260,
        subject: "PATCH /user_groups/{user_group_id}",
        description: "`can_mention_group` takes an object with `new` and `old`; before, the value itself.",
        test: "who_may_mention_was_a_bare_value_before_260",
        downgrade: Downgrade::RequestChange(&["PATCH /user_groups/{user_group_id}"], |request| {
            // The parameter already has its newest name. Below 198, clients call it `can_mention_group_id`.
            if let Some(value) = request.values.get_mut("can_mention_group") {
                *value = format!("{{\"new\": {value}}}");
            }
            Ok(())
        }),
    },
    Behaviour {
        level: 165,
        subject: "PATCH /user_groups/{user_group_id}",
        description: "`name` and `description` are optional; before, both were required.",
        test: "group_names_were_required_before_165",
        downgrade: Downgrade::RequestChange(&["PATCH /user_groups/{user_group_id}"], |request| {
            let missing = ["name", "description"].into_iter().find(|name| !request.values.contains_key(*name));
            missing.map_or(Ok(()), |name| Err(Error::MissingParameter { var_name: name.into() }))
        }),
    },
];

fn is_group_deactivated(request: &Request<'_>) -> bool {
    let id = request.path_id("user_group_id").map(GroupId);
    id.and_then(|id| request.realm.groups.get(&id)).is_some_and(|group| group.is_deactivated)
}
