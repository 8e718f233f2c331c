import type { Readable } from "node:stream";
import type { ResponseOf, Api, BodyOf, EndpointName, ParamsOf, QueryOf } from "#contract/api.ts";
import type { UserKind } from "#contract/endpoints/auth.ts";

/**
 * What a room and the HTTP layer say to each other. A room pairs each of its endpoints with a function of a `Call`
 * and never sees HTTP; command line and benches call the same functions.
 */

/** Who acts, and in whose workspace. */
export type Visitor = {
  userId: string;
  /** `key` acts through an API key, `external` through a token minted by one, `provider` through another's sign-in. */
  kind: UserKind | "external" | "key" | "provider";
  projectId: string;
  /** The workspace's internal id: what every query is bounded by. */
  workspaceId: string;
  /** The workspace's name as the protocol shows it. */
  workspaceName: string;
  /** The session, the API key or the rule for a provider's tokens that the credential came from. */
  credentialId: string;
};

/** An API key that reads its whole project. */
export type ProjectKey = Pick<Visitor, "projectId" | "credentialId">;

/** Facts of a request that are not its content. */
export type RequestFacts = {
  /** Whom a limit per address counts this request for. */
  limitKey: string;
  userAgent: string | undefined;
  /** Whether our own web app's page sent it, from its own origin. */
  ownPage: boolean;
  /** Our own web app's cookie, where it counts. */
  sessionToken: string | undefined;
  accept: string | undefined;
  /** The packages of assistant-ui that sent it, as `name/version`, separated by spaces. */
  auiSdk: string | undefined;
  /** Where an event stream is to go on, by the standard's own header. */
  lastEventId: string | undefined;
  /** Where the caller reached us: scheme and host, without a slash at the end. */
  origin: string;
  /** Of a file: the part that is wanted, and what is there already. */
  range: string | undefined;
  ifRange: string | undefined;
  ifNoneMatch: string | undefined;
  contentType: string | undefined;
  /** What the head says of the body, in bytes; `undefined` where it does not. */
  contentLength: number | undefined;
  /** The body as it arrives, for an endpoint that takes bytes; to be read once. Throws `client-gone`. */
  body: () => AsyncIterable<Uint8Array>;
  /** Aborts when the caller is gone. */
  signal: AbortSignal;
};

export type Call<N extends EndpointName> = {
  params: ParamsOf<N>;
  query: QueryOf<N>;
  /** Of an endpoint that takes bytes there is none: the request has them. */
  body: Api[N] extends { bodyFormat: "bytes" } ? undefined : BodyOf<N>;
  request: RequestFacts;
} & (Api[N]["caller"] extends "anyone" | "link"
  ? object
  : Api[N]["caller"] extends "project"
    ? { key: ProjectKey }
    : { visitor: Visitor });

/** One server-sent event; `json` is its data as it goes out, so that a log's entry is not read and written anew. */
export type EventFrame = { id?: number; json: string };

/** Events that are there at once, and go out together. */
export type EventBatch = readonly EventFrame[];

/** A plain text stream, and the headers that tell the client how to read it. */
export type TextStream = {
  contentType: string;
  headers?: Record<string, string>;
  chunks: AsyncIterable<string>;
};

/** An answer with something beside it: another status, or the web app's session opened or closed. */
export class Reply<Answer> {
  readonly answer: Answer;
  readonly status: number | undefined;
  readonly session: { token: string; expiresAt: number } | "close" | undefined;
  constructor(
    answer: Answer,
    beside: { status?: number; session?: { token: string; expiresAt: number } | "close" },
  ) {
    this.answer = answer;
    this.status = beside.status;
    this.session = beside.session;
  }
}

/** An answer that is not JSON. */
export class RawAnswer {
  readonly contentType: string;
  readonly bytes: Uint8Array;
  constructor(contentType: string, bytes: Uint8Array) {
    this.contentType = contentType;
    this.bytes = bytes;
  }
}

/** A file, or a part of it. `open` is not called where nobody wants the bytes. */
export class ByteAnswer {
  readonly status: 200 | 206 | 304;
  readonly headers: Record<string, string>;
  readonly open: ((signal: AbortSignal) => Promise<Readable>) | undefined;
  constructor(
    status: 200 | 206 | 304,
    headers: Record<string, string>,
    open: ((signal: AbortSignal) => Promise<Readable>) | undefined,
  ) {
    this.status = status;
    this.headers = headers;
    this.open = open;
  }
}

type Answer<N extends EndpointName> = Api[N]["kind"] extends "bytes"
  ? ByteAnswer
  : Api[N]["kind"] extends "events"
    ? AsyncIterable<EventBatch>
    : Api[N]["kind"] extends "text"
      ? TextStream
      : ResponseOf<N> | Reply<ResponseOf<N>> | RawAnswer | EventsOf<N>;

/** Only where the caller accepts them: see `wantsEvents`. */
type EventsOf<N extends EndpointName> = Api[N] extends { streamsOnRequest: true }
  ? AsyncIterable<EventBatch>
  : never;

/** Whether this `Accept` asks for server-sent events, at an endpoint that answers either way. */
export function wantsEvents(accept: string | undefined): boolean {
  return accept?.includes("text/event-stream") === true;
}

export type Route<N extends EndpointName> = (call: Call<N>) => Promise<Answer<N>>;

/** The routes of a room: those endpoints that it answers. */
export type Routes<Names extends EndpointName> = { [N in Names]: Route<N> };
