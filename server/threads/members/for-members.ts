import { api, type EndpointName } from "#contract/api.ts";
import type { Endpoint } from "#contract/endpoint.ts";
import type { EventBatch, RequestFacts, Routes, Visitor } from "../../lib/route.ts";
import type { ThreadAccess } from "./thread-access.ts";
import type { ThreadPart } from "./rows.ts";

type MemberCall = {
  visitor: Visitor;
  params?: ThreadPart;
  body?: Pick<ThreadPart, "thread_id"> & { file_url?: string };
  request: RequestFacts;
};
type AnyRoute = (call: MemberCall) => Promise<unknown>;

/** The routes, of which those with `members` also answer the people that a thread is shared with. */
export function forMembers<R extends Partial<Routes<EndpointName>>>(routes: R, access: ThreadAccess): R {
  const wrapped: Record<string, AnyRoute> = {};
  for (const [name, route] of Object.entries(routes) as [EndpointName, AnyRoute][]) {
    const { members: needed, kind }: Endpoint = api[name];
    if (needed === undefined) continue;
    wrapped[name] = async (call) => {
      const part = partOf(call.params ?? fromBody(call.body));
      const visitor = await access.actOn(call.visitor, part, needed);
      if (visitor === call.visitor) return await route(call);
      if (kind !== "events") return await route({ ...call, visitor });
      return await followAsMember(call, visitor, route, access);
    };
  }
  return { ...routes, ...wrapped };
}

function fromBody({
  thread_id: threadId,
  file_url: url = "",
}: NonNullable<MemberCall["body"]> = {}): ThreadPart {
  // Of the parsed address, so that the file that is checked is the one that is read.
  const path = URL.canParse(url, "http://server") ? new URL(url, "http://server").pathname : "";
  const fileId = /\/v1\/files\/(file_0[0-9a-hjkmnp-tv-z]{24})\/content$/.exec(path)?.[1];
  return {
    ...(threadId === undefined ? {} : { thread_id: threadId }),
    ...(fileId === undefined ? {} : { file_id: fileId }),
  };
}

function partOf({ thread_id, run_id, comparison_id, file_id }: ThreadPart = {}): ThreadPart {
  return Object.fromEntries(
    Object.entries({ thread_id, run_id, comparison_id, file_id }).filter(([, id]) => id !== undefined),
  );
}

/** A stream that ends when the member may no longer read it. */
async function followAsMember(
  call: MemberCall,
  visitor: Visitor,
  route: AnyRoute,
  access: ThreadAccess,
): Promise<AsyncGenerator<EventBatch>> {
  const lost = new AbortController();
  const signal = AbortSignal.any([call.request.signal, lost.signal]);
  const events = (await route({
    ...call,
    visitor,
    request: { ...call.request, signal },
  })) as AsyncIterable<EventBatch>;
  return access.whileShared(call.visitor, visitor.sharedThreadId!, events, lost);
}
