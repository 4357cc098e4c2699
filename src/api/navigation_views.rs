//! Navigation views: the views in the left sidebar of the web app, and which of them are pinned.

use super::{OperationContext, Read, Success, Write, operation};
use crate::api::parameter::types::text::{NonBlank, NullableText, non_null};
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::event::Audience;
use crate::realm::id::UserId;
use crate::realm::personal::{BUILT_IN_FRAGMENTS, NavigationView};
use crate::realm::tx::Tx;
use crate::record::events::{NavigationViewAdd, NavigationViewChange, NavigationViewRemove, NavigationViewUpdate};
use schemars::JsonSchema;
use serde::Serialize;

/// A fragment or a name. Real servers do not limit these; chatdouble limits all stored texts (docs/limits.md).
type ViewText = NonBlank<10_000>;

fn is_built_in(fragment: &str) -> bool {
    BUILT_IN_FRAGMENTS.contains(&fragment)
}

operation! {
    /// Lists the views of the caller's left sidebar.
    pub GetNavigationViews = GET "/navigation_views", for User, since 390;
    reply NavigationViewsReply;
}

/// The caller's views.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct NavigationViewsReply {
    /// In the order in which they were added.
    pub navigation_views: Vec<NavigationView>,
}

impl Read for GetNavigationViews {
    fn run(
        realm: &Realm,
        context: &OperationContext<'_>,
        _params: Self::Params,
    ) -> Result<NavigationViewsReply, Error> {
        let views = &realm.user_state(context.caller().id).navigation_views;
        Ok(NavigationViewsReply { navigation_views: views.iter().cloned().collect() })
    }
}

operation! {
    /// Adds a view to the caller's left sidebar.
    pub AddNavigationView = POST "/navigation_views", for User, since 390;
    params {
        /// Identifies the view: the part of its URL in the web app after `#`.
        fragment: ViewText,
        /// Whether the view is shown in the sidebar rather than in the menu.
        is_pinned: bool,
        /// Display name, which no view of the caller has yet: required for a custom view, refused for a built-in one.
        name: Option<NullableText<ViewText>>,
    }
    errors [BadValue, BuiltInViewNamed, CustomViewUnnamed, NavigationViewExists];
    events [NavigationViewAdd];
}

impl Write for AddNavigationView {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let user = context.caller().id;
        let fragment = params.fragment.0;
        let name = non_null(params.name).map(|name| name.0);
        match (is_built_in(&fragment), &name) {
            (true, Some(_)) => return Err(Error::BuiltInViewNamed),
            (false, None) => return Err(Error::CustomViewUnnamed),
            _ => {}
        }
        let is_duplicate = |view: &NavigationView| view.fragment == fragment || (name.is_some() && view.name == name);
        if tx.user_state(user).navigation_views.iter().any(is_duplicate) {
            return Err(Error::NavigationViewExists);
        }

        let view = NavigationView { fragment, is_pinned: params.is_pinned, name };
        tx.user_state_mut(user).navigation_views.push_back(view.clone());
        tx.emit(Audience::of_user(user), NavigationViewAdd { navigation_view: view });
        Ok(Success {})
    }
}

operation! {
    /// Pins, unpins or renames a view of the caller's left sidebar.
    pub EditNavigationView = PATCH "/navigation_views/{*fragment}", for User, since 390;
    params {
        /// Fragment of one of the caller's views; slashes may be percent-encoded or not.
        @path fragment: String,
        /// Whether the view is shown in the sidebar rather than in the menu; unchanged by default.
        is_pinned: Option<bool>,
        /// New display name of a custom view, which no view of the caller has yet; unchanged by default.
        name: Option<NullableText<ViewText>>,
    }
    errors [BadValue, NoSuchNavigationView, BuiltInViewNamed, NavigationViewExists];
    events [NavigationViewUpdate];
}

impl Write for EditNavigationView {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let user = context.caller().id;
        let index = view_index(tx, user, &params.fragment)?;
        let name = non_null(params.name).map(|name| name.0);
        if name.is_some() && is_built_in(&params.fragment) {
            return Err(Error::BuiltInViewNamed);
        }
        if name.is_some() && tx.user_state(user).navigation_views.iter().any(|view| view.name == name) {
            return Err(Error::NavigationViewExists);
        }

        let mut data = NavigationViewChange::default();
        let view = &mut tx.user_state_mut(user).navigation_views[index];
        if let Some(is_pinned) = params.is_pinned {
            view.is_pinned = is_pinned;
            data.is_pinned = Some(is_pinned);
        }
        if let Some(name) = name {
            view.name = Some(name.clone());
            data.name = Some(name);
        }
        tx.emit(Audience::of_user(user), NavigationViewUpdate { fragment: params.fragment, data });
        Ok(Success {})
    }
}

operation! {
    /// Removes a view from the caller's left sidebar.
    pub RemoveNavigationView = DELETE "/navigation_views/{*fragment}", for User, since 390;
    params {
        /// Fragment of one of the caller's views; slashes may be percent-encoded or not.
        @path fragment: String,
    }
    errors [NoSuchNavigationView];
    events [NavigationViewRemove];
}

impl Write for RemoveNavigationView {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let user = context.caller().id;
        let index = view_index(tx, user, &params.fragment)?;

        tx.user_state_mut(user).navigation_views.remove(index);
        tx.emit(Audience::of_user(user), NavigationViewRemove { fragment: params.fragment });
        Ok(Success {})
    }
}

fn view_index(realm: &Realm, user: UserId, fragment: &str) -> Result<usize, Error> {
    let views = &realm.user_state(user).navigation_views;
    views.iter().position(|view| view.fragment == fragment).ok_or(Error::NoSuchNavigationView)
}
