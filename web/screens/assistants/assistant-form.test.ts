import { expect, test } from "vitest";
import {
  assistantBodyOf,
  emptyAssistantForm,
  assistantFormOf,
  assistantMistakesOf,
  type AssistantForm,
} from "./assistant-form.ts";

const form: AssistantForm = { ...emptyAssistantForm, name: " Gardener " };

test("requires only a name", () => {
  expect(Object.keys(assistantMistakesOf(emptyAssistantForm))).toEqual(["name"]);
  expect(assistantMistakesOf(form)).toEqual({});
});

test("includes set values and omits the others", () => {
  const filled = {
    ...form,
    starters: [" ", "Sow what?", "", ""],
    temperature: "0,5",
    maxOutputTokens: "200",
    model: "big",
  };
  expect(assistantBodyOf(filled)).toEqual({
    name: "Gardener",
    avatar: { text: "G", colour: "blue" },
    instructions: "",
    model: "big",
    tools: null,
    starters: ["Sow what?"],
    parameters: { temperature: 0.5, max_output_tokens: 200 },
  });
});

test("returns the same assistant after a round trip through the form", () => {
  const { name, avatar, model, starters, ...settings } = assistantBodyOf({
    ...form,
    tools: ["date"],
    topP: "0.1",
    instructions: " x\n",
  });
  const assistant = {
    id: "asst_0",
    name,
    avatar: avatar!,
    model: model!,
    starters: starters!,
    local_only: false,
    is_changed: true,
    created_at: null,
    updated_at: null,
  };
  expect(assistantBodyOf(assistantFormOf(assistant, settings as never))).toEqual({
    name,
    avatar,
    model,
    starters,
    ...settings,
  });
});

test.for<[Partial<AssistantForm>, string]>([
  [{ name: " " }, "name"],
  [{ name: "x".repeat(61) }, "name"],
  [{ avatarText: "ab" }, "avatarText"],
  [{ instructions: "x".repeat(32_001) }, "instructions"],
  [{ starters: ["", "x".repeat(201), "", ""] }, "starter1"],
  [{ temperature: "warm" }, "temperature"],
  [{ temperature: "2.1" }, "temperature"],
  [{ topP: "-1" }, "topP"],
  [{ maxOutputTokens: "1.5" }, "maxOutputTokens"],
  [{ maxOutputTokens: "0" }, "maxOutputTokens"],
])("finds the mistake in %j", ([wrong, field]) => {
  expect(Object.keys(assistantMistakesOf({ ...form, ...wrong }))).toEqual([field]);
});
