import * as z from "zod/mini";
import type { AuditRule } from "../accounts/audit-rules.ts";
import type { Caller, EndpointFields } from "../endpoint.ts";
import { anyId, emptyObject } from "./fields.ts";

/** An endpoint as its file has it: what does not follow from its group, its request line and the defaults. */
type Entry = Pick<EndpointFields, "summary" | "description"> &
  Partial<Omit<EndpointFields, "path">> &
  ({ request: `GET ${string}`; audit?: never } | { request: `${Writing} ${string}`; audit: AuditRule });

type Writing = "POST" | "PUT" | "DELETE";

/** What the endpoints of a group have in common. An endpoint's own field counts instead, and its errors besides. */
type Group = Pick<EndpointFields, "caller"> &
  Partial<Pick<EndpointFields, "permission" | "members" | "bodyBytesMax" | "errors">>;

/** Fields that no endpoint has are mistakes. The compiler accepts them without this, because it infers the type from them. */
type Only<Allowed, Given> = { [Field in Exclude<keyof Given, keyof Allowed>]: never };

type ParamOf<Path> = Path extends `${string}{${infer Param}}${infer Rest}` ? Param | ParamOf<Rest> : never;
type Params<Path> = [ParamOf<Path>] extends [never]
  ? unknown
  : { params: z.ZodMiniObject<Record<ParamOf<Path>, typeof anyId>> };

type Defaults<E, Path> = { kind: "json"; status: 200 } & Params<Path> &
  (E extends { kind: string } ? unknown : { response: typeof emptyObject });

type GroupOf<G> = G extends Caller ? { caller: G } : G;

type Complete<G, E> = E extends { request: `${infer Method extends "GET" | Writing} ${infer Path}` }
  ? { method: Method; path: Path } & Omit<E, "request"> & Omit<G, keyof E> & Omit<Defaults<E, Path>, keyof E>
  : never;

/**
 * Endpoints by name. `group`: what they have in common, or only their caller. `request` is the method and the path, with
 * `{name}` for each parameter. Unless an endpoint says something else, its parameters are ids, and a success has the status
 * 200 and returns JSON: an empty object.
 */
export function endpoints<const G extends Caller | Group, const E extends Record<string, Entry>>(
  group: G & (G extends Caller ? unknown : Only<Group, G>),
  entries: E & { [Name in keyof E]: Only<Entry, E[Name]> },
) {
  const complete = Object.entries<Entry>(entries).map(([name, entry]) => [name, completed(group, entry)]);
  return Object.fromEntries(complete) as { [Name in keyof E]: Complete<GroupOf<G>, E[Name]> };
}

function completed(group: Caller | Group, { request, ...entry }: Entry) {
  const { bodyBytesMax, ...common }: Group = typeof group === "string" ? { caller: group } : group;
  const [method, path = ""] = request.split(" ");
  const params = Array.from(path.matchAll(/\{(\w+)\}/g), ([, param]) => [param, anyId]);
  const errors = [...(common.errors ?? []), ...(entry.errors ?? [])];
  return {
    kind: "json",
    status: 200,
    ...(params.length === 0 ? {} : { params: z.object(Object.fromEntries(params)) }),
    ...(entry.kind === undefined ? { response: emptyObject } : {}),
    ...(entry.body === undefined || bodyBytesMax === undefined ? {} : { bodyBytesMax }),
    ...common,
    ...entry,
    method,
    path,
    ...(errors.length === 0 ? {} : { errors }),
  };
}
