import { expect, test } from "vitest";
import { formFields } from "./form-fields.ts";
import { limits } from "./limits.ts";

test("the rules of a form's fields say what its endpoint requires, and how long texts may be", () => {
  expect(formFields["prompts.put"]).toEqual({
    title: { kind: "text", required: true, min: 1, max: limits.promptTitleCharacters },
    text: { kind: "text", required: true, min: 1, max: limits.promptCharacters },
    is_shared: { kind: "flag", required: false },
  });
  expect(formFields["accounts.changePassword"].password.min).toBe(limits.passwordCharactersMin);
  expect(formFields["personalInstructions.put"].instructions.required).toBe(false);
});

test("the rules of a form's fields have bounds of numbers, formats, patterns and choices", () => {
  const { port, sender, host, security, username } = formFields["mail.put"];
  expect(port).toEqual({ kind: "number", required: true, isWhole: true, min: 1, max: 65_535 });
  expect(sender).toMatchObject({ required: true, format: "email", max: limits.emailCharacters });
  expect(new RegExp(host.pattern!).test("mail.example.com")).toBe(true);
  expect(new RegExp(host.pattern!).test("mail example")).toBe(false);
  expect(security.choices).toEqual(["tls", "starttls", "none"]);
  expect(username.required, "it may be null").toBe(false);
});

test("the rules of a form's fields include the entries of lists, and named schemas", () => {
  const { starters, parameters, avatar } = formFields["assistants.create"];
  expect(starters).toMatchObject({ kind: "list", required: false, max: limits.startersMax });
  expect(starters.entry.max).toBe(limits.starterCharacters);
  expect(parameters.fields.temperature).toEqual({ kind: "number", required: false, min: 0, max: 2 });
  expect(avatar).toMatchObject({ kind: "object", required: false });
  expect(formFields["directories.test"].directory).toMatchObject({ kind: "object", required: true });
  expect(formFields["budgets.put"].usd_per_day).toMatchObject({ kind: "number", min: 0.01 });
});
