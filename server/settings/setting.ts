import * as z from "zod/mini";

type SettingInfo = { name: string; default: string; about: string };

const infos = z.registry<SettingInfo>();

/**
 * One setting: the environment variable `name` parsed by `type`. Without a default, an absent setting is `undefined`.
 * `about` is a sentence or two for the documentation.
 */
export function setting<T extends z.ZodMiniType>(name: string, about: string, type: T): z.ZodMiniOptional<T>;
export function setting<T extends z.ZodMiniType>(
  name: string,
  about: string,
  type: T,
  defaultText: string,
): z.ZodMiniPrefault<T>;
export function setting(
  name: string,
  about: string,
  type: z.ZodMiniType,
  defaultText?: string,
): z.ZodMiniType {
  const schema = defaultText === undefined ? z.optional(type) : z.prefault(type, defaultText);
  infos.add(schema, { name, about, default: defaultText ?? "" });
  return schema;
}

/** A setting with its path in the schema. */
export type ListedSetting = SettingInfo & { path: readonly string[] };

/** Every setting in a schema, in order. */
export function listSettings(schema: z.core.$ZodType, path: readonly string[] = []): ListedSetting[] {
  const info = infos.get(schema);
  if (info !== undefined) return [{ ...info, path }];
  if (schema instanceof z.core.$ZodPipe) return listSettings(schema._zod.def.in, path);
  if (!(schema instanceof z.core.$ZodObject)) throw new Error(`${path.join(".")} is not a setting`);
  return Object.entries(schema._zod.def.shape).flatMap(([key, entry]) => listSettings(entry, [...path, key]));
}
