import { createHash } from "node:crypto";

/** Providers accept names of up to 64 of these characters. */
const namePattern = /^[A-Za-z0-9_-]{1,64}$/;
const nameCharacters = 64;
const hashCharacters = 8;

/** Of the source's part of a name. It has no underscore, so that no slug and tool together are the name of others. */
export const slugCharacters = 30;

/**
 * The name by which models call a tool of a source that is not built in: `<slug>__<tool>`. No built-in tool has such a name,
 * and no other source has the slug. A name that providers would refuse is cleaned, cut and ends in a hash of the whole, so
 * that two tools of the source still differ.
 */
export function nameOfTool(slug: string, tool: string): string {
  const name = `${slug}__${tool}`;
  if (namePattern.test(name)) return name;
  const hash = createHash("sha256").update(name).digest("hex").slice(0, hashCharacters);
  const clean = name.replaceAll(/[^A-Za-z0-9_-]+/g, "_").slice(0, nameCharacters - hashCharacters - 1);
  return `${clean}_${hash}`;
}
