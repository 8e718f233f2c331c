import { api, type Caller, type EndpointName } from "#contract/api.ts";
import { errors, type ErrorCode } from "#contract/errors.ts";
import { credentialErrors, errorsOf, serverErrors } from "#contract/reference/errors-of.ts";
import { nounOf, nouns, type Noun } from "#contract/reference/nouns.ts";
import type { OpenApi, Operation, Parameter, Schema } from "#contract/reference/openapi.ts";
import { fieldsOf, typeOf, type Field } from "./fields.ts";

/** The API reference as what it says, for the page and for docs/api.md alike. Texts are Markdown of one line. */
export type Chapter = { id: string; title: string; about: string; entries: Entry[] };

export type Entry = {
  id: string;
  title: string;
  method: string;
  path: string;
  about: string;
  /** Who may call it. */
  caller: string;
  query: Field[];
  body: Field[];
  /** What is answered: in words, and by field where it has some. */
  answer: { status: string; text: string; fields: Field[] };
  errors: { status: number; code: ErrorCode; message: string }[];
  curl: string;
};

export type NamedShape = { id: string; name: string; about: string; fields: Field[] };

const callers: Record<Caller, string> = {
  anyone: "Anyone, without a credential.",
  visitor: "Whoever acts in a workspace: an access token, or an API key that names one.",
  key: "An API key that names a workspace.",
  project: "An API key; it need not name a workspace.",
  link: "Whoever has the address, without another credential.",
  admin: "The server's owner, by the web app's own session.",
};

export function chaptersOf(document: OpenApi): Chapter[] {
  const names = Object.keys(api) as EndpointName[];
  return (Object.entries(nouns) as [Noun | "server", (typeof nouns)[Noun]][])
    .map(([noun, { title, about }]) => ({
      id: noun,
      title,
      about,
      entries: names.filter((name) => nounOf(name) === noun).map((name) => entryOf(name, document)),
    }))
    .filter(({ entries }) => entries.length > 0);
}

export function shapesOf({ components }: OpenApi): NamedShape[] {
  return Object.entries(components.schemas).map(([name, schema]) => ({
    id: shapeId(name),
    name,
    about: schema.description ?? "",
    fields: fieldsOf(schema),
  }));
}

/** The errors that many calls share, told once. */
export function sharedErrors(): { credential: Entry["errors"]; server: Entry["errors"] } {
  return {
    credential: [...credentialErrors, "backend-only" as const].map(errorOf),
    server: serverErrors.map(errorOf),
  };
}

export function shapeId(name: string): string {
  return `shape-${name.toLowerCase()}`;
}

function entryOf(name: EndpointName, document: OpenApi): Entry {
  const { path, method, caller, status } = api[name];
  const operation = document.paths[path]![method.toLowerCase()]!;
  return {
    id: name.replace(".", "-").toLowerCase(),
    title: operation.summary,
    method,
    path,
    about: operation.description.split("\n\n")[0]!,
    caller: callers[caller],
    query: (operation.parameters ?? []).filter(isQuery).map(parameterField),
    body: fieldsOf(bodyOf(operation)),
    answer: answerOf(name, operation, status),
    errors: errorsOf(name).own.map(errorOf),
    curl: operation["x-codeSamples"]![0]!.source,
  };
}

function answerOf(name: EndpointName, operation: Operation, status: number): Entry["answer"] {
  const others = Object.entries(operation.responses).filter(
    ([code]) => code.startsWith("2") && code !== String(status),
  );
  const besides = others.map(([code, { description }]) => `${code}: ${description}`).join(" ");
  if (api[name].kind !== "json")
    return { status: String(status), text: operation.responses[status]!.description, fields: [] };
  const schema = operation.responses[status]!.content!["application/json"]!.schema;
  const fields = fieldsOf(schema);
  const text = fields.length > 0 ? "" : schema.$ref === undefined ? "`{}`" : typeOf(schema);
  return { status: String(status), text: [text, besides].filter((each) => each !== "").join(" "), fields };
}

function bodyOf({ requestBody }: Operation): Schema {
  return Object.values(requestBody?.content ?? {})[0]?.schema ?? {};
}

function isQuery(parameter: Parameter | { $ref: string }): parameter is Parameter {
  return "in" in parameter && parameter.in === "query";
}

function parameterField({ name, required, description, schema }: Parameter): Field {
  return { name, required, type: typeOf(schema), about: description ?? "" };
}

function errorOf(code: ErrorCode): Entry["errors"][number] {
  return { status: errors[code].status, code, message: errors[code].message };
}
