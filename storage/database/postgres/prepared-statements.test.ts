import { expect, test } from "vitest";
import { createPreparedStatements } from "./prepared-statements.ts";

const use = (statements: ReturnType<typeof createPreparedStatements>, text: string, times: number) => {
  for (let n = 1; n < times; n++) statements.nameOf(text);
  return statements.nameOf(text);
};

test("names a statement from its tenth use, and keeps its name until it is forgotten", () => {
  const statements = createPreparedStatements();
  expect(use(statements, "select 1", 9)).toBeUndefined();
  const name = statements.nameOf("select 1");
  expect(name).toBeDefined();
  expect(statements.nameOf("select 1")).toBe(name);
  statements.forget();
  expect(use(statements, "select 1", 10)).not.toBe(name);
});

test("names a limited number of statements, and counts the uses of a limited number", () => {
  const statements = createPreparedStatements();
  for (let n = 0; n < 5_000; n++) statements.nameOf(`select ${n}`);
  const names = Array.from({ length: 300 }, (_, n) => use(statements, `select ${n}`, 10));
  expect(new Set(names.filter((name) => name !== undefined)).size).toBe(250);
  expect(names.at(-1)).toBeUndefined();
  expect(statements.nameOf("select 0")).toBe(names[0]);
});
