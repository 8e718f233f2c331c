import { Validator } from "@seriousme/openapi-schema-validator";
import * as z from "zod/mini";
import { describe, expect, test } from "vitest";
import { api, type EndpointName } from "../api.ts";
import type { Endpoint } from "../endpoint.ts";
import { errors } from "../errors.ts";
import { errorsOf } from "./errors-of.ts";
import { openApi } from "./openapi.ts";
import type { Operation, Schema } from "./openapi-types.ts";

const names = Object.keys(api) as EndpointName[];
const document = JSON.parse(JSON.stringify(openApi("1.2.3", "http://127.0.0.1:3000"))) as ReturnType<
  typeof openApi
>;

function operationOf(name: EndpointName): Operation {
  return document.paths[api[name].path]![api[name].method.toLowerCase()]!;
}

describe("the OpenAPI document", () => {
  test("is valid OpenAPI 3.1", async () => {
    const { valid, errors: problems } = await new Validator().validate(structuredClone(document));
    expect(problems).toBeUndefined();
    expect(valid).toBe(true);
  });

  test("is checked by a validator that rejects invalid documents", async () => {
    const broken = structuredClone(document) as unknown as { paths: Record<string, { get: object }> };
    broken.paths["/v1/threads"]!.get = { responses: "none" };
    expect((await new Validator().validate(broken as never)).valid).toBe(false);
  });

  test("has no broken references", () => {
    const pointers = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, to]) => to!);
    expect(pointers.length).toBeGreaterThan(100);
    for (const pointer of new Set(pointers)) {
      const [, ...steps] = pointer.split("/");
      const found = steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)?.[step], document);
      expect(found, pointer).toBeDefined();
    }
  });

  test.for(names)("documents %s completely", (name) => {
    const endpoint: Endpoint = api[name];
    const operation = operationOf(name);
    expect(operation.operationId).toBe(name);
    expect(operation.summary).toBe(endpoint.summary);
    expect(operation.description).not.toBe("");
    expect(operation.security.length > 0).toBe(!["anyone", "link"].includes(endpoint.caller));
    const params = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, param]) => param);
    const documented = (operation.parameters ?? []).flatMap((each) => ("in" in each ? [each] : []));
    expect(documented.filter(({ in: place }) => place === "path").map(({ name: param }) => param)).toEqual(
      params,
    );
    expect(documented.filter(({ in: place }) => place === "query").length > 0).toBe(
      endpoint.query !== undefined,
    );
    expect(operation.requestBody !== undefined).toBe(
      endpoint.body !== undefined || endpoint.bodyFormat === "bytes",
    );
    const success = operation.responses[endpoint.status]!;
    expect(Object.keys(success.content!)[0]).toBe(
      { json: "application/json", events: "text/event-stream", text: "text/plain", bytes: "*/*" }[
        endpoint.kind
      ],
    );
    const { own, common } = errorsOf(name);
    for (const code of [...own, ...common]) {
      const answer = operation.responses[errors[code].status]!;
      expect(JSON.stringify(answer), code).toContain(`"${code}"`);
    }
  });

  test("has a valid example for every body", () => {
    for (const name of names) {
      const { body, query, example = {} }: Endpoint = api[name];
      expect(example.body !== undefined, name).toBe(body !== undefined);
      if (body !== undefined) expect(z.safeParse(body, example.body).error, name).toBeUndefined();
      if (query !== undefined) expect(z.safeParse(query, example.query ?? {}).error, name).toBeUndefined();
    }
  });

  test("has a type or a description for every field", () => {
    const undocumented: string[] = [];
    const look = (schema: Schema, at: string): void => {
      const { $ref, anyOf, items, properties, ...rest } = schema;
      const { description, ...kind } = rest;
      if (
        $ref === undefined &&
        anyOf === undefined &&
        properties === undefined &&
        Object.keys(kind).length === 0 &&
        description === undefined
      )
        undocumented.push(at);
      for (const each of anyOf ?? []) look(each, at);
      if (items !== undefined) look(items, `${at}[]`);
      for (const [name, field] of Object.entries(properties ?? {})) look(field, `${at}.${name}`);
    };
    for (const name of names) {
      const { requestBody, parameters = [] } = operationOf(name);
      for (const each of parameters) if ("in" in each) look(each.schema, `${name} ${each.name}`);
      for (const { schema } of Object.values(requestBody?.content ?? {})) look(schema, name);
    }
    for (const [name, schema] of Object.entries(document.components.schemas)) look(schema, name);
    expect(undocumented).toEqual([]);
  });
});
