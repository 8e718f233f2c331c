import type * as z from "zod/mini";

/** A field of a request, and values that are not of its type. */
export type Field = { path: string[]; required: boolean; wrong: unknown[] };

type Def = {
  type: string;
  innerType?: z.ZodMiniType;
  in?: z.ZodMiniType;
  shape?: Record<string, z.ZodMiniType>;
  element?: z.ZodMiniType;
  options?: z.ZodMiniType[];
};

/**
 * Every field of a schema, also inside objects, each with values of other types. It is generated from the contract, so
 * that new fields are tested at once.
 */
export function fieldsOf(schema: z.ZodMiniType, path: string[] = []): Field[] {
  const { def } = bare(schema);
  return Object.entries(def.shape ?? {}).flatMap(([key, field]) => {
    const { def: inner, optional, nullable } = bare(field);
    const wrong = wrongFor(inner).filter((value) => !(nullable && value === null));
    return [{ path: [...path, key], required: !optional, wrong }, ...fieldsOf(field, [...path, key])];
  });
}

function bare(schema: z.ZodMiniType): { def: Def; optional: boolean; nullable: boolean } {
  let def = schema._zod.def as unknown as Def;
  let optional = false;
  let nullable = false;
  for (;;) {
    if (def.type === "optional") optional = true;
    else if (def.type === "nullable") nullable = true;
    else if (def.type !== "pipe") return { def, optional, nullable };
    def = ((def.innerType ?? def.in) as z.ZodMiniType)._zod.def;
  }
}

const samples: Record<string, unknown> = {
  string: "text",
  number: 7,
  boolean: true,
  array: [],
  object: { some: "thing" },
  null: null,
};

function wrongFor({ type, element, options }: Def): unknown[] {
  const right =
    options?.map((option) => bare(option).def.type) ??
    (type === "custom" || type === "object" || type === "record" ? ["object"] : [type]);
  // A list of objects is not a list of lists.
  const more =
    type === "array"
      ? [[1], [null], element !== undefined && bare(element).def.type === "string" ? [{}] : ["x"]]
      : [];
  return [
    ...Object.entries(samples)
      .filter(([name]) => !right.includes(name))
      .map(([, value]) => value),
    ...more,
  ];
}
