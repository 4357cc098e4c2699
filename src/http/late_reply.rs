//! Replies that a fault or a network delays, while their clients may give up.

use super::Response;
use super::context::RequestContext;
use super::reply::Delivery;
use super::trace::JournaledRequest;
use super::{network, report};
use crate::report::Receipt;
use std::time::Duration;

/// A journaled reply that is not sent yet. Dropping it before [`LateReply::wait_and_take_response`] is done means that
/// the client closed the connection: the journal entry then gets the status 0, and the report knows that the
/// reply did not arrive.
pub(super) struct LateReply<'a, 'context> {
    context: &'a RequestContext<'context>,
    journaled_request: JournaledRequest,
    is_reported: bool,
    /// None once [`LateReply::wait_and_take_response`] has taken it.
    response: Option<Response>,
}

impl<'a, 'context> LateReply<'a, 'context> {
    /// `is_reported` is whether the report observes the request.
    pub fn new(
        context: &'a RequestContext<'context>,
        journaled_request: JournaledRequest,
        response: Response,
        is_reported: bool,
    ) -> Self {
        Self { context, journaled_request, is_reported, response: Some(response) }
    }

    /// Waits for the delay by the fault, then for the latency of the network, and returns the reply. A short latency is
    /// left to the socket.
    pub async fn wait_and_take_response(&mut self) -> Response {
        // Boxed, so that replies without a delay reserve no memory for it: the future of a request is moved several
        // times.
        if !self.journaled_request.delay.is_zero() {
            Box::pin(tokio::time::sleep(self.journaled_request.delay)).await;
        }
        let RequestContext { world, incoming, .. } = self.context;
        let latency = self.response.as_mut().map_or(Duration::ZERO, |response| {
            network::add_delivery(world, incoming, response);
            response.extensions_mut().get_mut::<Delivery>().map_or(Duration::ZERO, Delivery::take_long_latency)
        });
        if !latency.is_zero() {
            Box::pin(tokio::time::sleep(latency)).await;
        }
        let response = self.response.take().unwrap_or_default();
        self.report_receipt(report::receipt(self.context, &self.journaled_request, &response), &response);
        response
    }

    fn report_receipt(&self, receipt: Receipt, response: &Response) {
        if self.is_reported {
            report::report_request(self.context, &self.journaled_request, response, receipt);
        }
    }
}

impl Drop for LateReply<'_, '_> {
    fn drop(&mut self) {
        let Some(response) = self.response.take() else { return };
        let world = self.context.world;
        let waiting_time = world.real_time().now().since(self.journaled_request.arrived_at);
        world.journal().record_lost_reply(self.journaled_request.entry.id, waiting_time.micros() as f64 / 1e3);
        self.report_receipt(Receipt::Missing, &response);
    }
}
