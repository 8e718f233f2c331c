import type { Readable } from "node:stream";
import type { ResponseOf, Api, BodyOf, EndpointName, ParamsOf, QueryOf } from "#contract/api.ts";
import { userKinds, type UserKind } from "#contract/endpoints/auth.ts";
import type { MemberAccess } from "#contract/endpoints/thread-members.ts";
import type { Role } from "#contract/accounts/permissions.ts";

/**
 * The interface between modules and the HTTP layer. A module implements each of its endpoints as a function of a `Call` and
 * does not depend on HTTP; the command line and the benchmarks call the same functions.
 */

/** The person or backend that sends a request, and the workspace it acts in. */
export type Visitor = {
  userId: string;
  /** `key`: with an API key; `external`: with a token minted by one; `provider`: with a sign-in provider's token. */
  kind: UserKind | "external" | "key" | "provider";
  /** What the person may do, as it is stored at the time of the request. */
  role: Role;
  appId: string;
  /** The workspace's internal id. Every query filters by it. */
  workspaceId: string;
  /** The workspace's name in the protocol. */
  workspaceName: string;
  /** The id of the session, the API key or the JWT rule behind the credential. */
  credentialId: string;
  /** In the web app, with the session's cookie. Only there do people see threads of others that are shared with them. */
  isInWebApp?: true;
  /** What the person may do in the thread that the request is about, if somebody else shares it with them. */
  memberAccess?: MemberAccess;
  /** That thread. */
  sharedThreadId?: string;
  /** Signed in with a password or a link alone. The owner can require a second factor. */
  isWithoutSecondFactor?: true;
  /** A guest with an anonymous token of an app, and not in the web app. */
  isAppVisitor?: true;
  /** An administrator has deleted the account. Until it is gone, the person can only export what is in it. */
  isLeaving?: true;
};

/** Whether the visitor is a user of this server, and not one that a backend or a sign-in provider names. */
export function isOwnUser<V extends Pick<Visitor, "kind">>(visitor: V): visitor is V & { kind: UserKind } {
  return userKinds.some((own) => own === visitor.kind);
}

/** An API key with access to its whole app. */
export type AppKey = Pick<Visitor, "appId" | "credentialId">;

/** The person who signed in at a proxy in front of the server. */
export type ProxyPerson = { email: string; name?: string };

/** Metadata of a request. */
export type RequestFacts = {
  /** The key for limits per network address. */
  limitKey: string;
  userAgent: string | undefined;
  /** Whether our own web app sent it, from its own origin. */
  ownPage: boolean;
  /** The token from the session cookie, if the cookie counts for this request. */
  sessionToken: string | undefined;
  /** The token from the cookie of a browser that was signed in before. It counts like the session cookie. */
  browserToken: string | undefined;
  /** The person named by a trusted proxy. */
  proxyPerson: ProxyPerson | undefined;
  accept: string | undefined;
  /** The assistant-ui packages of the client: `name/version`, separated by spaces. */
  auiSdk: string | undefined;
  /** The `Last-Event-ID` header, after which an event stream resumes. */
  lastEventId: string | undefined;
  /** The origin that the request was sent to. */
  origin: string;
  /** The origin of the page that sent the request, if a page did and says so. */
  pageOrigin: string | undefined;
  range: string | undefined;
  ifRange: string | undefined;
  ifNoneMatch: string | undefined;
  contentType: string | undefined;
  /** The `Content-Length` in bytes. */
  contentLength: number | undefined;
  /** The body as it arrives, for endpoints that take bytes. Can be read once. Throws `client-gone`. */
  body: () => AsyncIterable<Uint8Array>;
  /** Aborts when the client disconnects or the server shuts down. */
  signal: AbortSignal;
};

export type Call<N extends EndpointName> = {
  params: ParamsOf<N>;
  query: QueryOf<N>;
  /** Endpoints that take bytes read `request.body()` instead. */
  body: Api[N] extends { bodyFormat: "bytes" } ? undefined : BodyOf<N>;
  request: RequestFacts;
} & (Api[N]["caller"] extends "anyone" | "link"
  ? object
  : Api[N]["caller"] extends "app"
    ? { key: AppKey }
    : { visitor: Visitor });

/** One server-sent event. `json` is its data in serialized form, so that log entries need not be parsed. */
export type EventFrame = { id?: number; json: string };

/** Events that are written together. */
export type EventBatch = readonly EventFrame[];

/** A plain text stream, with headers that describe its format. */
export type TextStream = {
  contentType: string;
  headers?: Record<string, string>;
  /** Text between two chunks that readers of the format ignore. It keeps idle connections open. */
  heartbeat?: string;
  chunks: AsyncIterable<string>;
};

/** What the cookies get. `browserToken`: of an account that was just signed in to. */
type SetSession = { token: string; expiresAt: number; browserToken?: string };

/** A JSON response with another status, or with a change of the session cookie. */
export class JsonResponse<Answer> {
  readonly answer: Answer;
  readonly status: number | undefined;
  readonly session: SetSession | "close" | undefined;
  constructor(answer: Answer, options: { status?: number; session?: SetSession | "close" }) {
    this.answer = answer;
    this.status = options.status;
    this.session = options.session;
  }
}

/** A response that is not JSON. */
export class RawResponse {
  readonly contentType: string;
  readonly bytes: Uint8Array;
  constructor(contentType: string, bytes: Uint8Array) {
    this.contentType = contentType;
    this.bytes = bytes;
  }
}

/** A file, or a part of it. `open` is not called if the bytes are not needed. */
export class FileResponse {
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
  ? FileResponse
  : Api[N]["kind"] extends "events"
    ? AsyncIterable<EventBatch>
    : Api[N]["kind"] extends "text"
      ? TextStream
      : ResponseOf<N> | JsonResponse<ResponseOf<N>> | RawResponse | EventsOf<N>;

/** Only if the client accepts them: see `wantsEvents`. */
type EventsOf<N extends EndpointName> = Api[N] extends { streamsOnRequest: true }
  ? AsyncIterable<EventBatch>
  : never;

/** Whether this `Accept` header asks for server-sent events, for endpoints that support both. */
export function wantsEvents(accept: string | undefined): boolean {
  return accept?.includes("text/event-stream") === true;
}

export type Route<N extends EndpointName> = (call: Call<N>) => Promise<Answer<N>>;

/** The endpoints that a module implements. */
export type Routes<Names extends EndpointName> = { [N in Names]: Route<N> };
