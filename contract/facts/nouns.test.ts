import { expect, test } from "vitest";
import { auditActions } from "../accounts/audit-actions.ts";
import { errors } from "../errors.ts";
import { limits } from "../limits.ts";
import { chapters } from "../reference/chapters.ts";
import { entriesOf } from "./error-table.ts";
import { idPrefixes } from "./id-prefixes.ts";
import { nouns } from "./nouns.ts";

// A fact of the same name elsewhere would replace it in the list.
test.for(nouns)("the shared lists have the facts of every noun", (noun) => {
  expect(chapters).toMatchObject(noun.chapters);
  expect(idPrefixes).toMatchObject(noun.ids);
  expect(limits).toMatchObject(noun.limits);
  expect(errors).toMatchObject(Object.fromEntries(entriesOf(noun.errors)));
  expect(auditActions).toEqual(expect.arrayContaining([...noun.auditActions]));
});

test("an error in a table has its status, flags, the protocol's text and the message", () => {
  expect(
    entriesOf({
      404: { "plant-not-found": "This plant doesn’t exist." },
      "503, retry, expected": { "pot-busy": "Try Later | The pot is busy. Try again." },
      "409, other clients": { "pot-taken": "pot_taken | Somebody has it." },
    }),
  ).toEqual([
    ["plant-not-found", { status: 404, error: "Plant not found", message: "This plant doesn’t exist." }],
    [
      "pot-busy",
      {
        status: 503,
        retry: true,
        expected: true,
        error: "Try Later",
        message: "The pot is busy. Try again.",
      },
    ],
    ["pot-taken", { status: 409, otherClients: true, error: "pot_taken", message: "Somebody has it." }],
  ]);
});

test("an error of a noun has its message in every language, and the English one for other clients", () => {
  const own = {
    404: { "pot-not-found": { protocol: "No pot", en: "There is no such pot.", ar: "لا إناء." } },
  };
  expect(entriesOf(own)).toEqual([
    ["pot-not-found", { status: 404, error: "No pot", message: "There is no such pot." }],
  ]);
});

test("no action of the audit log is listed twice", () => {
  expect(new Set(auditActions).size).toBe(auditActions.length);
});
