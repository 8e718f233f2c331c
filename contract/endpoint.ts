import type * as z from "zod/mini";
import type { ErrorCode } from "./errors.ts";
import type { AuditRule } from "./accounts/audit-rules.ts";
import type { Permission } from "./accounts/permissions.ts";

/**
 * Who may call an endpoint.
 *
 * - `anyone`: no credential needed.
 * - `visitor`: acts in a workspace, with a bearer token, the web app's cookie, or an API key that names the workspace.
 * - `key`: an API key that names a workspace, and nothing else.
 * - `app`: an API key that reads its whole app and names no workspace.
 * - `link`: no credential; the URL contains a secret.
 * - `personal`: a personal key, in the workspace of its owner.
 * - `account`: somebody who is signed in to this server and not a guest, in the web app.
 */
export type Caller = "anyone" | "visitor" | "key" | "app" | "link" | "personal" | "account";

/** One JSON object, a stream of server-sent events, streamed plain text, or a file. */
export type ResponseKind = "json" | "events" | "text" | "bytes";

export type Endpoint = EndpointFields &
  ({ method: "GET"; audit?: never } | { method: "POST" | "PUT" | "DELETE"; audit: AuditRule });

export type EndpointFields = {
  /** With `{name}` for each path parameter. */
  path: string;
  caller: Caller;
  /** Whether people can call it before they have set up the second factor that the owner requires. */
  worksWithoutSecondFactor?: true;
  /** Whether people whose account an administrator has deleted can call it until the account is gone. */
  worksWhileLeaving?: true;
  /** A permission that the caller needs besides: that of their role, or one that their rights grant. */
  permission?: Permission;
  /**
   * In the web app, members of a shared thread may call it too: all of them (`read`), or those who may write (`write`). The
   * path or a field of the body names the thread. For other endpoints, the thread does not exist.
   */
  members?: "read" | "write";
  /** One line for the API reference. */
  summary: string;
  /** A few sentences for the API reference. */
  description: string;

  params?: z.ZodMiniType;
  query?: z.ZodMiniType;
  body?: z.ZodMiniType;
  /** Default: `limits.bodyBytes`. Larger bodies also get more time to arrive. */
  bodyBytesMax?: number;
  /**
   * Default: JSON, whatever the Content-Type. `otlp`: JSON or protobuf by Content-Type, compressed or not. `bytes`: any
   * bytes, read by the endpoint itself.
   */
  bodyFormat?: "otlp" | "bytes";
  /** Per IP address, counted before the body is read. */
  requestsPerMinute?: number;
  /** The endpoint stores text: guests may call it `limits.guestWritesPerMinute` times. */
  isWrite?: true;
  /** The workspace for an API key that names none. */
  defaultWorkspace?: string;

  kind: ResponseKind;
  /** The status of a success. */
  status: 200 | 201 | 202;
  response?: z.ZodMiniType;
  /** The client gets progress events instead of one JSON object if it accepts `text/event-stream`. */
  streamsOnRequest?: true;
  /** The client gets streamed text instead of one JSON object if the body has `stream: true`. */
  streamsOnField?: true;
  /** Another status of a success, and when it is sent. */
  otherSuccess?: { status: number; description: string };
  /** For streams: what the lines contain. */
  streamDescription?: string;
  /** The errors of this endpoint. `errorsOf` adds those of the credential, the body and the path parameters. */
  errors?: readonly ErrorCode[];
  example?: Example;
};

/**
 * An example request for the API reference. The tests run it. `$NAMES` in strings are variables of the reader's shell, such
 * as `$THREAD_ID`, `$MESSAGE_ID` and `$REFRESH_TOKEN`.
 */
export type Example = {
  query?: Record<string, string>;
  body?: unknown;
  /** Besides the credential and the content type. */
  headers?: Record<string, string>;
  /** For URLs that the server returned and the caller does not build. */
  url?: string;
};

export type Endpoints = Record<string, Endpoint>;
