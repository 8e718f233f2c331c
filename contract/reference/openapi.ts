import * as z from "zod/mini";
import { api, type EndpointName } from "../api.ts";
import type { Caller, Endpoint } from "../endpoint.ts";
import { errors, type ErrorCode } from "../errors.ts";
import { importBody, importShape } from "../endpoints/imports.ts";
import { limits } from "../limits.ts";
import { userContent, userContentShape } from "../parts/schemas.ts";
import { reportShape, runReport } from "../endpoints/reports.ts";
import { traceExport, traceExportShape } from "../endpoints/traces.ts";
import { curlOf } from "./curl.ts";
import { errorsOf } from "./errors-of.ts";
import { guide } from "./guide.ts";
import { nounOf, nouns } from "./nouns.ts";

/** A JSON Schema (2020-12) as OpenAPI 3.1 has it. */
export type Schema = {
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  [keyword: string]: unknown;
};

export type Parameter = {
  name: string;
  in: "path" | "query" | "header";
  required: boolean;
  description?: string;
  schema: Schema;
};

export type ResponseObject = {
  description: string;
  headers?: Record<string, unknown>;
  content?: Record<string, { schema: Schema }>;
};

export type Operation = {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  security: Record<string, string[]>[];
  parameters?: (Parameter | { $ref: string })[];
  requestBody?: {
    description?: string;
    required: boolean;
    content: Record<string, { schema: Schema; example?: unknown }>;
  };
  responses: Record<string, ResponseObject>;
  "x-codeSamples"?: { lang: string; source: string }[];
};

export type OpenApi = {
  openapi: string;
  info: { title: string; version: string; summary: string; description: string; license: object };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; [kind: string]: Record<string, unknown> };
};

/** Shapes that check more than they can tell of themselves, and what is shown in their place. */
const documentedAs = new Map<unknown, z.ZodMiniType>([
  [runReport, reportShape],
  [userContent, userContentShape],
  [traceExport, traceExportShape],
  [importBody, importShape],
]);

/**
 * The service as an OpenAPI 3.1 document, made from the table of endpoints: what is not in it does not exist.
 * `address` is where the examples find the server.
 */
export function openApi(version: string, address: string): OpenApi {
  const schemas: Record<string, Schema> = { Problem: problem };
  const paths: OpenApi["paths"] = { "/healthz": { get: health } };
  for (const name of Object.keys(api) as EndpointName[]) {
    const { path, method } = api[name];
    (paths[path] ??= {})[method.toLowerCase()] = operation(name, schemas);
  }
  return {
    openapi: "3.1.1",
    info: {
      title: "Parlance",
      version,
      summary: "The chat service under /v1.",
      description: guide(address),
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/" }],
    tags: Object.values(nouns).map(({ title, description }) => ({ name: title, description })),
    paths,
    components: {
      schemas,
      securitySchemes,
      parameters: keyHeaders,
      headers: {
        "X-Request-Id": {
          description: "What to name when asking the operator about this request.",
          schema: { type: "string" },
        },
        "Retry-After": {
          description: "Seconds until it is worth trying again.",
          schema: { type: "integer" },
        },
      },
    },
  };
}

function operation(name: EndpointName, schemas: Record<string, Schema>): Operation {
  const endpoint: Endpoint = api[name];
  const parameters = [
    ...parametersOf("path", endpoint.params, schemas),
    ...parametersOf("query", endpoint.query, schemas),
    ...(endpoint.caller === "visitor" || endpoint.caller === "key"
      ? Object.keys(keyHeaders).map((header) => ({ $ref: `#/components/parameters/${header}` }))
      : []),
  ];
  return {
    operationId: name,
    tags: [nouns[nounOf(name)].title],
    summary: endpoint.summary,
    description: [endpoint.description, endpoint.streamDescription, credentialTexts[endpoint.caller]]
      .filter((text) => text !== undefined)
      .join("\n\n"),
    security: securityOf[endpoint.caller],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(endpoint.bodyFormat === "bytes" && endpoint.body === undefined ? { requestBody: binaryBody } : {}),
    ...(endpoint.body === undefined ? {} : { requestBody: requestOf(endpoint, endpoint.body, schemas) }),
    responses: responsesOf(name, schemas),
    "x-codeSamples": [{ lang: "Shell", source: curlOf(name) }],
  };
}

function parametersOf(
  place: "path" | "query",
  shape: z.ZodMiniType | undefined,
  schemas: Record<string, Schema>,
): Parameter[] {
  if (shape === undefined) return [];
  const { properties = {}, required = [] } = schemaOf(shape, "input", schemas);
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: place,
    required: required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema,
  }));
}

function requestOf(endpoint: Endpoint, shape: z.ZodMiniType, schemas: Record<string, Schema>) {
  const schema = schemaOf(shape, "input", schemas);
  return {
    ...(endpoint.bodyFormat === "bytes" ? {} : { description: bodyLimitText(endpoint) }),
    required: !z.safeParse(shape, {}).success,
    content: {
      "application/json": {
        schema,
        ...(endpoint.example?.body === undefined ? {} : { example: endpoint.example.body }),
      },
      ...(endpoint.bodyFormat === "otlp"
        ? { "application/x-protobuf": { schema: { type: "string", format: "binary" } } }
        : {}),
      ...(endpoint.bodyFormat === "bytes"
        ? { "application/zip": { schema: { type: "string", format: "binary" } } }
        : {}),
    },
  };
}

function bodyLimitText({ bodyBytesMax = limits.bodyBytes }: Endpoint): string {
  const kibibytes = bodyBytesMax / 1024;
  return `At most ${kibibytes < 1024 ? `${kibibytes} KiB` : `${kibibytes / 1024} MiB`}.`;
}

function responsesOf(name: EndpointName, schemas: Record<string, Schema>): Record<string, ResponseObject> {
  const endpoint: Endpoint = api[name];
  const success = { ...successOf(endpoint, schemas), headers: requestIdHeader };
  const answers: Record<string, ResponseObject> = { [endpoint.status]: success };
  if (endpoint.otherSuccess !== undefined)
    answers[endpoint.otherSuccess.status] = { ...success, description: endpoint.otherSuccess.description };
  const { own, common } = errorsOf(name);
  for (const [status, codes] of byStatus([...own, ...common])) answers[status] = errorResponse(codes);
  return answers;
}

function successOf(endpoint: Endpoint, schemas: Record<string, Schema>): Omit<ResponseObject, "headers"> {
  if (endpoint.kind === "json")
    return {
      description: "Done.",
      content: {
        "application/json": {
          schema: endpoint.response === undefined ? {} : schemaOf(endpoint.response, "output", schemas),
        },
      },
    };
  if (endpoint.kind === "bytes")
    return {
      description: "The bytes, of the type that they show; 206 with a part of them where Range asks for one.",
      content: { "*/*": { schema: { type: "string", format: "binary" } } },
    };
  const description = endpoint.streamDescription ?? "A stream.";
  const type = { schema: { type: "string" } };
  if (endpoint.kind === "events") return { description, content: { "text/event-stream": type } };
  return { description, content: { "text/plain": type, "text/event-stream": type } };
}

function byStatus(codes: ErrorCode[]): Map<number, ErrorCode[]> {
  const found = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const { status } = errors[code];
    found.set(status, [...(found.get(status) ?? []), code]);
  }
  return found;
}

function errorResponse(codes: ErrorCode[]): ResponseObject {
  const status = errors[codes[0]!].status;
  return {
    description: codes.map((code) => `\`${code}\`: ${errors[code].message}`).join("\n\n"),
    headers: {
      ...requestIdHeader,
      ...(status === 429 || status === 503
        ? { "Retry-After": { $ref: "#/components/headers/Retry-After" } }
        : {}),
    },
    content: {
      "application/json": {
        schema: {
          allOf: [{ $ref: "#/components/schemas/Problem" }, { properties: { code: { enum: codes } } }],
        },
      },
    },
  };
}

/** What zod tells of a shape, its named parts moved to `schemas`. */
function schemaOf(shape: z.ZodMiniType, io: "input" | "output", schemas: Record<string, Schema>): Schema {
  const {
    $schema: _,
    $defs,
    ...schema
  } = z.toJSONSchema(shape, {
    io,
    unrepresentable: "any",
    override({ zodSchema, jsonSchema }) {
      const shown = documentedAs.get(zodSchema);
      if (shown !== undefined) {
        const { $schema: __, ...rest } = z.toJSONSchema(shown, { io, unrepresentable: "any" });
        Object.assign(jsonSchema, rest);
      }
      // An answer may say more tomorrow, and a request may say more than we know: neither is a mistake.
      delete jsonSchema.additionalProperties;
      delete jsonSchema.propertyNames;
    },
  }) as Schema & { $defs?: Record<string, Schema> };
  for (const [id, { id: __, ...named }] of Object.entries($defs ?? {})) schemas[id] = withLocalRefs(named);
  const { id, ...rest } = schema;
  if (typeof id !== "string") return withLocalRefs(rest);
  schemas[id] = withLocalRefs(rest);
  return { $ref: `#/components/schemas/${id}` };
}

function withLocalRefs(schema: Schema): Schema {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/')) as Schema;
}

const requestIdHeader = { "X-Request-Id": { $ref: "#/components/headers/X-Request-Id" } };

const problem: Schema = {
  type: "object",
  description: "Every error, in streams too.",
  properties: {
    error: { type: "string", description: "The protocol's own text." },
    code: { type: "string", enum: Object.keys(errors), description: "A stable word for programs." },
    message: { type: "string", description: "A sentence for a person that says what to do." },
    request_id: { type: "string", description: "What to name when asking the operator about it." },
    details: {
      type: "array",
      description: "Which fields are wrong, and what would be right.",
      items: {
        type: "object",
        properties: { path: { type: "string" }, message: { type: "string" } },
        required: ["path", "message"],
      },
    },
  },
  required: ["error", "code", "message"],
};

const securitySchemes = {
  bearer: {
    type: "http",
    scheme: "bearer",
    description: "An access token, or an API key together with Aui-User-Id and Aui-Workspace-Id.",
  },
  apiKey: { type: "http", scheme: "bearer", description: "An API key: sk_aui_proj_…" },
  cookie: {
    type: "apiKey",
    in: "cookie",
    name: "parlance_3000",
    description: "Our own web app's session, from its own origin only. It is named by the server's port.",
  },
};

const securityOf: Record<Caller, Record<string, string[]>[]> = {
  anyone: [],
  visitor: [{ bearer: [] }, { cookie: [] }],
  key: [{ apiKey: [] }],
  project: [{ apiKey: [] }],
  link: [],
  admin: [{ cookie: [] }],
};

const credentialTexts: Record<Caller, string> = {
  anyone: "Needs no credential.",
  visitor: "Needs an access token, or an API key that names a workspace.",
  key: "Needs an API key that names a workspace.",
  project: "Needs an API key. It does not have to name a workspace.",
  link: "Needs no credential but the address itself.",
  admin: "Needs the session of the server's owner in the web app.",
};

const binaryBody = {
  required: true,
  content: { "*/*": { schema: { type: "string", format: "binary" } } },
};

const keyHeaders = {
  "Aui-User-Id": {
    name: "Aui-User-Id",
    in: "header",
    required: false,
    description: "With an API key: who acts. Without it the system does.",
    schema: { type: "string", minLength: 1, maxLength: 255 },
  },
  "Aui-Workspace-Id": {
    name: "Aui-Workspace-Id",
    in: "header",
    required: false,
    description: "With an API key: in whose workspace. Required with one.",
    schema: { type: "string", minLength: 1, maxLength: 255 },
  },
} satisfies Record<string, Parameter>;

const health: Operation = {
  operationId: "healthz",
  tags: [nouns.server.title],
  summary: "Whether the service can do its work",
  description:
    "For whatever watches the server. It asks the database, and checks that its file and the folder of the files are still those that the server opened and take writes. Where they are not, details name the part.",
  security: [],
  responses: {
    "200": {
      description: "It can.",
      content: {
        "application/json": {
          schema: { type: "object", properties: { ok: { const: true } }, required: ["ok"] },
        },
      },
    },
    "503": errorResponse(["maintenance", "storage-unavailable"]),
  },
  "x-codeSamples": [{ lang: "Shell", source: 'curl "$PARLANCE/healthz"' }],
};
