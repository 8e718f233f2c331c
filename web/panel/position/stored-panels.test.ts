import { expect, test } from "vitest";
import { memoryStorage } from "#web/testing/memory-storage.ts";
import { createStoredPanels } from "./stored-panels.ts";

test("keeps the panels of a hundred threads, of each person their own", () => {
  const storage = memoryStorage();
  let time = 0;
  const panels = createStoredPanels(storage, "usr_ada", () => time++);
  const panelOf = (n: number) => ({ search: { panel: `html:${n}`, v: "a" }, top: n });
  createStoredPanels(storage, "usr_bob").set("t200", panelOf(200));
  for (let n = 0; n < 100; n++) panels.set(`t${n}`, panelOf(n));
  panels.set("t0", panelOf(0));
  panels.set("t100", panelOf(100));
  expect(panels.get("t1")).toBeUndefined();
  expect(panels.get("t0")).toMatchObject(panelOf(0));
  expect(panels.get("t2")).toMatchObject(panelOf(2));
  panels.set("t3", panelOf(7));
  expect(panels.get("t3")).toMatchObject(panelOf(7));
  expect(createStoredPanels(storage, "usr_bob").get("t3")).toBeUndefined();
  expect(createStoredPanels(storage, "usr_bob").get("t200")).toMatchObject(panelOf(200));
});

test.each(["", "{", "null", "{}", "[1]", '{"search":7}', '{"search":{"panel":1}}'])(
  "reads nothing from %j",
  (text) => {
    const storage = memoryStorage();
    storage.set("parlance.panels.t@usr_ada", text);
    const panels = createStoredPanels(storage, "usr_ada");
    expect(panels.get("t")?.search.panel).toBeUndefined();
    panels.set("t", { search: { panel: "html:" }, top: 0 });
    expect(panels.get("t")).toMatchObject({ search: { panel: "html:" }, top: 0 });
  },
);
