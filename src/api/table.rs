//! Constructors for the rows of the table of operations, which make each row from the type of its operation. The
//! function in a row reads the parameters of a request, runs the operation, and commits its changes if it makes any.

use super::reply::envelope_with_message;
use super::*;
use crate::error::Error;
use crate::realm::user::User;
use crate::world::NewEvents;

pub(super) const fn row<O: Operation>(run: RunFunction) -> OperationRow {
    OperationRow {
        type_name: std::any::type_name::<O>,
        route: O::ROUTE,
        route_text: O::ROUTE_TEXT,
        access: O::ACCESS,
        docs: O::DOCS,
        removed_in: O::REMOVED_IN,
        may_set_msg: O::MESSAGE.is_some(),
        takes_files: O::TAKES_FILES,
        exposes_api_keys: O::EXPOSES_API_KEYS,
        is_fast: O::IS_FAST,
        effects: O::EFFECTS,
        caller_parameter: O::CALLER_PARAMETER,
        protocol: O::PROTOCOL,
        parameters: O::Params::LIST,
        reply_schema: O::Reply::json_schema,
        run,
    }
}

pub(super) const fn read<O: Read>() -> OperationRow {
    row::<O>(RunFunction::Read(|realm, context, raw| {
        let params = check_and_read_params::<O>(realm, context, raw)?;
        Ok(wrap_in_envelope::<O>(&O::run(realm, context, params)?, context, raw))
    }))
}

pub(super) const fn write<O: Write>() -> OperationRow {
    row::<O>(RunFunction::Write(|world, realm, context, raw| {
        let params = check_and_read_params::<O>(realm, context, raw)?;
        let (reply, events) = commit::<O, _>(world, context, raw, |tx| O::run(tx, context, params))?;
        let session_user = O::SESSION_USER.map(|session_user| session_user(&reply));
        Ok(Outcome { reply: Ok(wrap_in_envelope::<O>(&reply, context, raw)), events, session_user })
    }))
}

pub(super) const fn write_partially<O: PartialWrite>() -> OperationRow {
    row::<O>(RunFunction::Write(|world, realm, context, raw| {
        let params = check_and_read_params::<O>(realm, context, raw)?;
        let (reply, events) = commit::<O, _>(world, context, raw, |tx| O::run(tx, context, params))?;
        Ok(Outcome {
            reply: reply.map(|reply| wrap_in_envelope::<O>(&reply, context, raw)),
            events,
            session_user: None,
        })
    }))
}

fn check_precondition<O: Operation>(realm: &Realm, context: &OperationContext<'_>) -> Result<(), Error> {
    O::PRECONDITION.map_or(Ok(()), |check| check(realm, context))
}

fn check_and_read_params<O: Operation>(
    realm: &Realm,
    context: &OperationContext<'_>,
    raw: &RawParameters,
) -> Result<O::Params, Error> {
    check_precondition::<O>(realm, context)?;
    let params = O::Params::read(raw)?;
    raw.refusal.as_deref().map_or(Ok(params), |refusal| Err(refusal.clone()))
}

fn commit<O: Operation, T>(
    world: &World,
    context: &OperationContext<'_>,
    raw: &RawParameters,
    change: impl FnOnce(&mut Tx) -> Result<T, Error>,
) -> Result<(T, NewEvents), WriteError> {
    commit_as_caller(world, context.caller.as_deref(), |tx| {
        if !context.is_current(world, tx) {
            return Err(WriteError::Outdated);
        }
        // Checked again, as the caller is: the realm may have changed since the parameters were read.
        check_precondition::<O>(tx, context)?;
        let value = change(tx)?;
        nul_characters::refuse_nul_characters(O::Params::LIST, raw)?;
        Ok(value)
    })
}

/// Changes the realm for a caller, None for a spectator, and records the caller's activity. The caller's key and
/// account are checked again, because another request may have changed them since the first check.
///
/// # Errors
///
/// `InvalidApiKey`, those of [`Realm::check_is_active`], and those of `change`.
fn commit_as_caller<T, E: From<Error>>(
    world: &World,
    caller: Option<&User>,
    change: impl FnOnce(&mut Tx) -> Result<T, E>,
) -> Result<(T, NewEvents), E> {
    world.commit_without_broadcast(|tx| {
        if let Some(caller) = caller {
            recheck_credentials(tx, caller)?;
        }
        let value = change(tx)?;
        if let Some(caller) = caller {
            tx.record_activity(caller.id);
        }
        Ok(value)
    })
}

fn recheck_credentials(realm: &Realm, caller: &User) -> Result<(), Error> {
    let user = realm.user(caller.id).filter(|user| user.api_key == caller.api_key).ok_or(Error::InvalidApiKey)?;
    realm.check_is_active(user)
}

fn wrap_in_envelope<O: Operation>(reply: &O::Reply, context: &OperationContext<'_>, raw: &RawParameters) -> ReplyBody {
    envelope_with_message::<O::Params>(
        O::MESSAGE.map_or("", |message| message(reply)),
        reply,
        raw,
        context.reply_format,
    )
}
