import { expect } from "vitest";
import { api, type EndpointName } from "#contract/api.ts";
import type { Endpoint } from "#contract/endpoint.ts";
import type { ErrorCode } from "#contract/errors.ts";
import { newId } from "#contract/ids.ts";
import { pathOf, type Answer, type Visitor } from "../support/clients/visitor.ts";
import { ownedObjectsOf, type OwnedObjects } from "./owned-objects.ts";
import { ownNounOf, ownNouns } from "./own-nouns.ts";
import { forBackends, scenarios, type Scenario } from "./scenarios.ts";

/** What a path can name that the owner of the objects does not have. */
const others: Record<string, () => string> = {
  app_id: () => "nobody",
  assistant_id: () => "default",
  budget_id: () => "nothing",
  comparison_id: () => newId("comparison"),
  group_id: () => "nothing",
  invitation_id: () => "inv_0",
  jwt_rule_id: () => "nobody",
  key_id: () => "pkey_0",
  member_id: () => "usr_0",
  passkey_id: () => "nothing",
  person_id: () => "usr_0",
  picture_id: () => "0x",
  provider: () => "nobody",
  /** The one that the scenario of `providers.create` adds. */
  provider_id: () => "workshop",
  session_id: () => newId("session"),
  share_id: () => "share_0",
  sign_in_provider_id: () => "nobody",
  tool_name: () => "send_letter",
  user_id: () => "user_nobody",
  alert_rule_id: () => newId("alertRule"),
  delivery_id: () => "nothing",
  webhook_id: () => newId("webhook"),
  tool_server_id: () => newId("tool_server"),
  ...Object.fromEntries(ownNouns.map(({ param, id }) => [param, () => newId(id)])),
};
const existing = ["assistant_id", "provider", "provider_id", "tool_name"];
/** The page of a PDF that the owner has is invalid. */
const unknownIds = new Set([...Object.keys(others).filter((param) => !existing.includes(param)), "page_id"]);

/** The error code for an unknown value of the parameter. */
export function notFound(param: string): ErrorCode {
  const noun = /^(file_secret|page_id)$/.test(param)
    ? "file"
    : param.replace(/_id$/, "").replaceAll("_", "-");
  return `${noun}-not-found` as ErrorCode;
}

/** The scenario of an endpoint, with the defaults of its kind of caller. */
export function scenarioOf(name: EndpointName): Scenario<EndpointName> & {
  stranger: ErrorCode | "theirs";
  guest: ErrorCode | "succeeds";
} {
  const { caller, method, errors, response }: Endpoint = api[name];
  const params = paramsOf(name);
  const ownPageOnly = errors?.includes("not-allowed") === true;
  const unknown = params.find((param) => unknownIds.has(param));
  const refused = unknown === undefined || caller === "app" ? undefined : notFound(unknown);
  const isOpen = caller === "anyone" || caller === "link";
  const own = params[0] === undefined ? "theirs" : notFound(params[0]);
  return {
    stranger:
      caller === "account" || (caller === "anyone" && ownPageOnly)
        ? "not-allowed"
        : ["key", "app"].includes(caller)
          ? "backend-only"
          : isOpen
            ? (refused ?? "theirs")
            : own,
    guest: !isOpen ? "not-signed-in" : ownPageOnly ? "not-allowed" : (refused ?? "succeeds"),
    ...(method !== "GET" && params.some((param) => /^(thread|run|file)_id$/.test(param))
      ? { changes: true }
      : {}),
    ...(refused === undefined ? {} : { refused }),
    ...(isEmpty(response) ? { owner: ({ body }) => expect(body).toEqual({}) } : {}),
    ...ownNounScenario(name),
    ...(scenarios[name] as Scenario<EndpointName>),
  };
}

/** A put with an unknown id creates, in everybody's own list. */
function ownNounScenario(name: EndpointName): Pick<Scenario<EndpointName>, "body" | "stranger" | "refused"> {
  const noun = ownNounOf(name);
  if (noun === undefined) return {};
  const forPeople = (code: ErrorCode) => (noun.isForPeople ? { refused: forBackends(code) } : {});
  if (name === noun.list) return forPeople("not-allowed");
  if (name !== noun.put) return {};
  return {
    body: noun.example,
    stranger: "theirs",
    refused: () => undefined,
    ...forPeople(notFound(noun.param)),
  };
}

function isEmpty(response: Endpoint["response"]): boolean {
  const shape = (response as { def?: { shape?: object } } | undefined)?.def?.shape;
  return shape !== undefined && Object.keys(shape).length === 0;
}

const paramsOf = (name: EndpointName) =>
  [...api[name].path.matchAll(/\{(\w+)\}/g)].map(([, param]) => param!);

/** The error for an owner of the objects who may not do this. */
export function refusalOf(name: EndpointName, owner: Visitor): ErrorCode | undefined {
  const { refused } = scenarioOf(name);
  return typeof refused === "function" ? refused(owner) : refused;
}

/** The request of the owner of the objects. */
export function requestOf(name: EndpointName, mine: Partial<OwnedObjects>) {
  const { params, query, body } = scenarioOf(name);
  const given = <Value>(value: Value | ((objects: OwnedObjects) => Value)) =>
    typeof value === "function" ? (value as (objects: OwnedObjects) => Value)(mine as OwnedObjects) : value;
  const own = Object.fromEntries(
    paramsOf(name).map((param) => [
      param,
      (mine[param as keyof OwnedObjects] as string | undefined) ?? others[param]?.() ?? "",
    ]),
  );
  return { params: { ...own, ...given(params) }, query: given(query) ?? {}, body: given(body) };
}

/** Sends a request, by default that of the owner of the objects, as `who`. */
export async function askAs(
  who: Visitor,
  name: EndpointName,
  mine: Partial<OwnedObjects>,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const request = requestOf(name, mine);
  return await who.send(api[name].method, pathOf(name, request), {
    headers: { "Content-Type": "application/json", ...headers },
    ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
  });
}

/** Creates the objects that the endpoint's scenario needs. */
export async function newOwnedObjects(name: EndpointName, owner: Visitor): Promise<OwnedObjects> {
  const { prepare, question } = scenarioOf(name);
  return await (prepare?.(owner) ?? ownedObjectsOf(owner, question));
}
