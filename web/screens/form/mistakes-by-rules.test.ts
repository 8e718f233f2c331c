import { expect, test } from "vitest";
import { formFields } from "#contract/form-fields.ts";
import { mistakesByRules } from "./mistakes-by-rules.ts";

test("finds what the endpoint would refuse: an empty field, and a text that is too long", () => {
  const { title, text } = formFields["prompts.put"];
  const rules = { title: { ...title, missing: "Give it a title." }, text };
  expect(mistakesByRules({ title: " ", text: "" }, rules)).toEqual({
    title: "Give it a title.",
    text: "This field is required.",
  });
  expect(mistakesByRules({ title: "x".repeat(title.max! + 1), text: "x" }, rules)).toEqual({
    title: `Use at most ${title.max} characters. You have ${title.max! + 1}.`,
  });
  expect(mistakesByRules({ title: "x".repeat(title.max!), text: "x" }, rules)).toEqual({});
});

test("finds a password that is too short, and what is no e-mail address", () => {
  const { email, password } = formFields["accounts.signUp"];
  const rules = { email, password };
  expect(mistakesByRules({ email: "ada@", password: "short" }, rules)).toEqual({
    email: "Enter an e-mail address such as ada@example.com.",
    password: "Use at least 8 characters.",
  });
  expect(mistakesByRules({ email: "ada@example.com", password: "long enough" }, rules)).toEqual({});
});

test("requires what a directory cannot be without", () => {
  const { name, directory } = formFields["signInProviders.create"];
  const { base_dn: base, name_attribute: nameOf, email_attribute: email } = directory.fields;
  const fields = { name, base, nameOf, email };
  expect(Object.keys(mistakesByRules({ name: "", base: "", nameOf: "", email: "" }, fields))).toEqual(
    Object.keys(fields),
  );
});

test.for([
  ["", undefined],
  ["0,5", undefined],
  ["2", undefined],
  ["2.1", "temperature"],
  ["warm", "temperature"],
] as const)("reads %j as a number from 0 to 2", ([temperature, wrong]) => {
  const rules = { kind: "number", required: false, min: 0, max: 2 } as const;
  expect(Object.keys(mistakesByRules({ temperature }, { temperature: rules }))[0]).toBe(wrong);
});

test.for(["1.5", "0", "5"])("refuses %j as a whole number from 1 to 4", (seed) => {
  const rules = { kind: "number", required: true, min: 1, max: 4, isWhole: true } as const;
  expect(Object.keys(mistakesByRules({ seed }, { seed: rules }))).toEqual(["seed"]);
});
