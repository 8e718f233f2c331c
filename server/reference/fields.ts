import type { Schema } from "#contract/reference/openapi.ts";

/** One line of a table of fields. `name` is the way to it: `usage.input`, `events[].kind`. */
export type Field = { name: string; type: string; required: boolean; about: string };

/** The fields of an object, those of objects within it after their own; none where it has no fields to tell of. */
export function fieldsOf(schema: Schema, prefix = ""): Field[] {
  const required = schema.required ?? [];
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
    {
      name: prefix + name,
      type: typeOf(field),
      required: required.includes(name),
      about: field.description ?? "",
    },
    ...fieldsOf(...insideOf(field, prefix + name)),
  ]);
}

/** A schema in a few words of Markdown, named shapes linked. */
export function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split("/").at(-1)!;
    return `[${name}](#shape-${name.toLowerCase()})`;
  }
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(typeOf))].join(" or ");
  if ("const" in schema) return code(schema.const);
  if (schema.type === "boolean") return "true or false";
  if (schema.enum !== undefined) return schema.enum.map(code).join(", ");
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type })).join(" or ");
  switch (schema.type) {
    case "null":
      return "null";
    case "string":
      return schema.format === "date-time" ? "instant" : `text${lengthOf(schema)}`;
    case "integer":
      return `whole number${rangeOf(schema)}`;
    case "number":
      return "number";
    case "array":
      return `list of ${typeOf(schema.items ?? {})}`;
    case "object":
      return partKind(schema) ?? "object";
    default:
      return "any JSON";
  }
}

/** Where the fields within a field are: in it, in its entries, or in the one thing it is where it is not null. */
function insideOf(field: Schema, name: string): [Schema, string] {
  const some = field.anyOf?.filter(({ type }) => type !== "null") ?? [];
  if (some.length === 1) return insideOf(some[0]!, name);
  if (field.type === "array") return insideOf(field.items ?? {}, `${name}[]`);
  return [partKind(field) === undefined ? field : {}, `${name}.`];
}

/** A message part is known by its kind; its fields are told with the parts. */
function partKind({ properties }: Schema): string | undefined {
  const kind = properties?.type?.const;
  return typeof kind === "string" ? `${code(kind)} part` : undefined;
}

function lengthOf({ minLength, maxLength }: Schema): string {
  if (typeof maxLength !== "number") return "";
  return typeof minLength === "number"
    ? `, ${minLength} to ${maxLength.toLocaleString("en")} characters`
    : `, at most ${maxLength.toLocaleString("en")} characters`;
}

function rangeOf({ minimum, maximum }: Schema): string {
  if (typeof maximum === "number")
    return `, ${Number(minimum).toLocaleString("en")} to ${maximum.toLocaleString("en")}`;
  return minimum === undefined ? "" : `, at least ${Number(minimum)}`;
}

function code(value: unknown): string {
  return `\`${typeof value === "string" ? value : JSON.stringify(value)}\``;
}
