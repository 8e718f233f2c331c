import * as z from "zod/mini";
import { api, type BodyInputOf, type EndpointName } from "./api.ts";
import type { Schema } from "./reference/openapi-types.ts";

/** What the schema of a request says about a field, so that a form can check it before it is sent. */
export type FieldRules = {
  kind: "text" | "number" | "flag" | "list" | "object" | "any";
  /** The field cannot be left out, null or empty. */
  required: boolean;
  /** The fewest characters of a text or entries of a list, or the smallest number. `max` likewise. */
  min?: number;
  max?: number;
  isWhole?: true;
  /** Of texts, such as `email`. */
  format?: string;
  pattern?: string;
  choices?: readonly string[];
};

/** The rules of an object's fields, with those of the objects and lists in it. */
export type FieldsOf<Body> = { [Name in keyof Body]-?: FieldOf<NonNullable<Body[Name]>> };

type FieldOf<Value> = FieldRules &
  (Value extends readonly (infer Entry)[]
    ? { entry: FieldOf<NonNullable<Entry>> }
    : Value extends object
      ? { fields: FieldsOf<Value> }
      : unknown);

/** The endpoints that take a body. */
export type FormEndpoint = {
  [N in EndpointName]: BodyInputOf<N> extends undefined ? never : N;
}[EndpointName];

type Rules = FieldRules & { entry?: Rules; fields?: Record<string, Rules> };

const kindOf: Record<string, Rules["kind"]> = {
  string: "text",
  integer: "number",
  number: "number",
  boolean: "flag",
  array: "list",
  object: "object",
};

/**
 * The rules of the fields of each request: `formFields["prompts.put"].title.max`. In the browser's bundle
 * `scripts/vite/used-values.ts` replaces this module by its value, so that schemas stay out of it. Each endpoint becomes a
 * module of its own, which loads with the screens that name it.
 */
export const formFields = Object.fromEntries(
  Object.entries(api).flatMap(([name, endpoint]) =>
    "body" in endpoint ? [[name, fieldsOf(endpoint.body)]] : [],
  ),
) as { [N in FormEndpoint]: FieldsOf<BodyInputOf<N>> };

function fieldsOf(body: z.ZodMiniType): Record<string, Rules> {
  const schema = z.toJSONSchema(body, {
    io: "input",
    unrepresentable: "any",
    override({ zodSchema, jsonSchema }) {
      const accepts = (value: unknown) => z.safeParse(zodSchema, value).success;
      jsonSchema["isNeeded"] = ![undefined, null, "", []].some(accepts);
    },
  }) as Schema;
  return rulesOf(schema, schema["$defs"] as Named).fields ?? {};
}

/** The schemas that others refer to. */
type Named = Record<string, Schema>;

function rulesOf(schema: Schema, named: Named): Rules {
  const { $ref, anyOf, properties, items, isNeeded } = schema;
  // The last alternative is the widest.
  const other =
    $ref === undefined
      ? anyOf?.findLast(({ type }) => type !== "null")
      : named[$ref.slice("#/$defs/".length)];
  if (other !== undefined)
    return rulesOf({ ...other, ...(isNeeded === undefined ? {} : { isNeeded }) }, named);
  const type = [schema.type].flat().find((each) => each !== "null") ?? "";
  const rules = {
    kind: kindOf[type] ?? "any",
    required: isNeeded,
    min: schema["minLength"] ?? schema["minItems"] ?? schema["minimum"],
    max: schema["maxLength"] ?? schema["maxItems"] ?? schema["maximum"],
    isWhole: type === "integer" || undefined,
    format: schema["format"],
    pattern: schema["pattern"],
    choices: schema.enum,
    entry: items && rulesOf(items, named),
    fields: properties && fieldsOfObject(properties, schema.required ?? [], named),
  };
  return Object.fromEntries(Object.entries(rules).filter(([, value]) => value !== undefined)) as Rules;
}

function fieldsOfObject(properties: Record<string, Schema>, needed: string[], named: Named) {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => {
      const { required, ...rules } = rulesOf(schema, named);
      return [name, { ...rules, required: required && needed.includes(name) }];
    }),
  );
}
