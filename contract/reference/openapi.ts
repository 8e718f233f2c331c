import * as z from "zod/mini";
import { auditText } from "../accounts/audit-rules.ts";
import { api, type EndpointName } from "../api.ts";
import type { Caller, Endpoint } from "../endpoint.ts";
import { errors, type ErrorCode } from "../errors.ts";
import { importBody, importShape } from "../endpoints/imports.ts";
import { limits } from "../limits.ts";
import { allows, roles } from "../accounts/permissions.ts";
import { userContent, userContentShape } from "../parts/schemas.ts";
import { reportShape, runReport } from "../endpoints/reports.ts";
import { traceExport, traceExportShape } from "../endpoints/traces.ts";
import { curlOf } from "./curl.ts";
import { errorsOf } from "./errors-of.ts";
import { guide } from "./guide.ts";
import { chapters, nounOf } from "./chapters.ts";
import type { OpenApi, Operation, Parameter, ResponseObject, Schema } from "./openapi-types.ts";
import { probePaths } from "./probes.ts";

/** Schemas with custom parsers, and the schemas that document them. */
const documentedAs = new Map<unknown, z.ZodMiniType>([
  [runReport, reportShape],
  [userContent, userContentShape],
  [traceExport, traceExportShape],
  [importBody, importShape],
]);

/** The OpenAPI 3.1 document of all endpoints. `address` is the server's URL. */
export function openApi(version: string, address: string): OpenApi {
  const schemas: Record<string, Schema> = { Problem: problem };
  const paths: OpenApi["paths"] = probePaths(errorResponse);
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
    servers: [{ url: new URL(address).pathname }],
    tags: Object.values(chapters).map(({ title, description }) => ({ name: title, description })),
    paths,
    components: {
      schemas,
      securitySchemes,
      parameters: keyHeaders,
      headers: {
        "X-Request-Id": {
          description: "Include it when you ask the operator about this request.",
          schema: { type: "string" },
        },
        "Retry-After": {
          description: "Seconds to wait before the next try.",
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
    tags: [chapters[nounOf(name)].title],
    summary: endpoint.summary,
    description: [
      endpoint.description,
      endpoint.streamDescription,
      credentialTexts[endpoint.caller],
      permissionText(endpoint),
      endpoint.audit && auditText(endpoint.audit),
    ]
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
      description: "The bytes. The status is 206 for a part, if the request has a Range.",
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

/** The JSON Schema of a zod schema. Named parts move to `schemas`. */
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
      // Later versions may add fields to responses, and requests may have unknown fields.
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
  description: "The body of every error, also inside streams.",
  properties: {
    error: { type: "string", description: "The text of the hosted protocol." },
    code: { type: "string", enum: Object.keys(errors), description: "A stable code for programs." },
    message: { type: "string", description: "A message for people that says what to do." },
    request_id: { type: "string", description: "Include it when you ask the operator about the error." },
    until: {
      type: "string",
      format: "date-time",
      description: "Until when the same request fails, if that is known.",
    },
    details: {
      type: "array",
      description: "The invalid fields and what they must be.",
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
    description:
      "The session of the web app, from its own origin only. The name contains the server's port, and begins with `__Host-` under https.",
  },
};

const securityOf: Record<Caller, Record<string, string[]>[]> = {
  anyone: [],
  visitor: [{ bearer: [] }, { cookie: [] }],
  key: [{ apiKey: [] }],
  app: [{ apiKey: [] }],
  link: [],
  personal: [{ bearer: [] }],
  account: [{ cookie: [] }],
};

const credentialTexts: Record<Caller, string> = {
  anyone: "Needs no credential.",
  visitor: "Needs an access token, or an API key that names a workspace.",
  key: "Needs an API key that names a workspace.",
  app: "Needs an API key. It does not have to name a workspace.",
  link: "Needs no credential except the URL itself.",
  personal: "Needs a personal key.",
  account: "Needs the session of an account in the web app.",
};

function permissionText({ permission }: Endpoint): string | undefined {
  if (permission === undefined) return undefined;
  const holders = roles.filter((role) => allows(role, permission));
  return `Needs the permission \`${permission}\`, which these roles have: ${holders.join(", ")}.`;
}

const binaryBody = {
  required: true,
  content: { "*/*": { schema: { type: "string", format: "binary" } } },
};

const keyHeaders = {
  "Aui-User-Id": {
    name: "Aui-User-Id",
    in: "header",
    required: false,
    description: "With an API key: the user who acts. Default: the system.",
    schema: { type: "string", minLength: 1, maxLength: 255 },
  },
  "Aui-Workspace-Id": {
    name: "Aui-Workspace-Id",
    in: "header",
    required: false,
    description: "With an API key: the workspace. Required with an API key.",
    schema: { type: "string", minLength: 1, maxLength: 255 },
  },
} satisfies Record<string, Parameter>;
