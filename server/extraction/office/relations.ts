import { posix } from "node:path";
import type { Package } from "./package.ts";
import { readXml } from "./xml.ts";

export type Relation = { id: string; type: string; target: string };

/** The paths of the parts that a part of an Office Open XML package refers to. External targets are left out. */
export async function relationsOf(archive: Package, part: string): Promise<Relation[]> {
  const relations: Relation[] = [];
  const folder = posix.dirname(part);
  await readXml(archive.read(posix.join(folder, "_rels", `${posix.basename(part)}.rels`)), {
    open(name, attributes) {
      if (name !== "Relationship" || attributes.get("TargetMode") === "External") return;
      const target = attributes.get("Target") ?? "";
      relations.push({
        id: attributes.get("Id") ?? "",
        type: (attributes.get("Type") ?? "").split("/").at(-1)!,
        target: target.startsWith("/") ? target.slice(1) : posix.join(folder, target),
      });
    },
  });
  return relations;
}
