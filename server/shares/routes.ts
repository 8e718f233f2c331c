import { actorOf } from "#server/audit/audit.ts";
import type { RequestFacts, Routes, Visitor } from "../lib/route.ts";
import type { ContinueShare } from "./continue-share.ts";
import type { Shares } from "./shares.ts";

type Names = "shares.list" | "shares.create" | "shares.update" | "shares.revoke" | "shares.continue";

/** `webUrl`: the URL of the web app, for links; `serviceUrl`: that of the service, for the files of a copy. */
export function shareRoutes(
  shares: Shares,
  continueShare: ContinueShare,
  urls: { webUrl: (request: RequestFacts) => string; serviceUrl: (request: RequestFacts) => string },
): Routes<Names> {
  const from = (call: { visitor: Visitor; request: RequestFacts }) => ({
    actor: actorOf(call),
    webUrl: urls.webUrl(call.request),
  });
  return {
    "shares.list": async ({ visitor, query, request }) => ({
      shares: await shares.list(visitor, query.thread_id, urls.webUrl(request)),
    }),
    "shares.create": async (call) => await shares.create(call.visitor, call.body, from(call)),
    "shares.update": async (call) =>
      await shares.update(call.visitor, call.params.share_id, call.body, from(call)),
    "shares.revoke": async (call) => {
      await shares.revoke(call.visitor, call.params.share_id, from(call).actor);
      return {};
    },
    "shares.continue": async ({ visitor, body, request }) => ({
      thread_id: await continueShare(visitor, body, {
        base: urls.serviceUrl(request),
        signal: request.signal,
      }),
    }),
  };
}
