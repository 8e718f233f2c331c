import { expect, test } from "vitest";
import { createSafeStorage } from "#web/data/drafts/safe-storage.ts";
import { createStoredPanels } from "./stored-panels.ts";

function storageWith(texts: Record<string, string> = {}) {
  const stored = new Map(Object.entries(texts));
  return createSafeStorage(
    () =>
      ({
        getItem: (key: string) => stored.get(key) ?? null,
        setItem: (key: string, text: string) => void stored.set(key, text),
      }) as unknown as Storage,
  );
}

test("keeps the panels of a hundred threads, of each person their own", () => {
  const storage = storageWith();
  const panels = createStoredPanels(storage, "usr_ada");
  const panelOf = (n: number) => ({ search: { panel: `html:${n}`, v: "a" }, top: n });
  for (let n = 0; n < 101; n++) panels.set(`t${n}`, panelOf(n));
  expect(panels.get("t0")).toBeUndefined();
  expect(panels.get("t1")).toMatchObject(panelOf(1));
  panels.set("t1", undefined);
  panels.set("t2", panelOf(7));
  expect(panels.get("t1")).toBeUndefined();
  expect(panels.get("t2")).toMatchObject(panelOf(7));
  expect(createStoredPanels(storage, "usr_bob").get("t2")).toBeUndefined();
});

test.each(["", "{", "{}", "[1, null, []]", '[{"threadId":"t"}]', '[{"threadId":"t","search":{"panel":1}}]'])(
  "reads nothing from %j",
  (text) => {
    const panels = createStoredPanels(storageWith({ "parlance.panels@usr_ada": text }), "usr_ada");
    expect(panels.get("t")).toBeUndefined();
    panels.set("t", { search: { panel: "html:" }, top: 0 });
    expect(panels.get("t")).toMatchObject({ search: { panel: "html:" }, top: 0 });
  },
);
