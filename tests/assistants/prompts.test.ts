import { expect } from "vitest";
import { newId } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import { exportAll, importFile } from "../support/clients/transfer.ts";
import { expectProblem } from "../support/clients/problem.ts";
import type { Visitor } from "../support/clients/visitor.ts";
import { describeServer, test } from "../support/servers/server.ts";

describeServer("prompts", {}, (server) => {
  const put = async (who: Visitor, body: { title: string; text: string; is_shared?: boolean }, id?: string) =>
    (await who.call("prompts.put", { params: { prompt_id: id ?? newId("prompt") }, body })).prompt;
  const titlesOf = async (who: Visitor) => (await who.call("prompts.list")).prompts.map(({ title }) => title);
  const paramsOf = ({ id }: { id: string }) => ({ params: { prompt_id: id } });
  const letter = { title: "Letter", text: "Write to {{name}}:\n\u0000\ud800" };

  test("come back exactly as they were written, in the order of their titles", async ({ dan }) => {
    const first = await put(dan, letter);
    expect(first).toMatchObject({ ...letter, is_shared: false });
    await put(dan, { title: "  Answer ", text: "Briefly." });
    expect(await titlesOf(dan)).toEqual(["Answer", "Letter"]);
    await put(dan, { title: "Zeal", text: "With it." }, first.id);
    await put(dan, { title: "Zeal", text: "With it." }, first.id);
    expect(await titlesOf(dan)).toEqual(["Answer", "Zeal"]);
    await dan.call("prompts.remove", paramsOf(first));
    expect(await titlesOf(dan)).toEqual(["Answer"]);
    await dan.fails("prompt-not-found", "prompts.remove", paramsOf(first));
  });

  test("of one person are invisible to everybody else, and their ids tell nothing", async () => {
    const [dan, eve, owner] = [
      await server().anonymous("dan"),
      await server().anonymous("eve"),
      await server().owner(),
    ];
    const secret = await put(dan, { title: "The heron", text: "Where is the safe?" });
    for (const other of [eve, owner]) {
      expect(await titlesOf(other)).not.toContain("The heron");
      await other.fails("prompt-not-found", "prompts.remove", paramsOf(secret));
      await other.fails("prompt-not-found", "prompts.put", { ...paramsOf(secret), body: letter });
    }
    expect(await titlesOf(dan)).toEqual(["The heron"]);
  });

  test("are shared with everybody by administrators only", async () => {
    const [dan, owner] = [await server().anonymous("dan"), await server().owner()];
    expect((await dan.call("prompts.list")).may_share).toBe(false);
    const wanted = { ...paramsOf({ id: newId("prompt") }), body: { ...letter, is_shared: true } };
    await dan.fails("not-allowed", "prompts.put", wanted);
    const shared = await put(owner, { title: "House style", text: "Plain words.", is_shared: true });
    expect(await titlesOf(dan)).toEqual(["House style"]);
    await dan.fails("not-allowed", "prompts.put", { ...paramsOf(shared), body: letter });
    await dan.fails("not-allowed", "prompts.remove", paramsOf(shared));
    // A change that does not mention it leaves it shared.
    await put(owner, { title: "House rules", text: "Plain words." }, shared.id);
    expect(await titlesOf(dan)).toEqual(["House rules"]);
    await put(owner, { title: "House rules", text: "Plain words.", is_shared: false }, shared.id);
    expect(await titlesOf(dan)).toEqual([]);
    expect(await titlesOf(owner)).toContain("House rules");
  });

  test("are refused with what is wrong", async ({ dan }) => {
    const ask = async (id: string, body: { title: string; text: string }) =>
      await dan.ask("prompts.put", { params: { prompt_id: id }, body });
    expectProblem(await ask("mine", letter), "bad-request");
    for (const [field, body] of [
      ["body.title", { ...letter, title: " " }],
      ["body.text", { ...letter, text: "a".repeat(limits.promptCharacters + 1) }],
    ] as const) {
      const answer = await ask(newId("prompt"), body);
      expectProblem(answer, "bad-request");
      expect(answer.text).toContain(field);
    }
    for (let n = 0; n < limits.promptsMax; n++) await put(dan, { title: `No. ${n}`, text: "." });
    expectProblem(await ask(newId("prompt"), letter), "too-many-prompts");
  });

  test("are in the export of everything, and can be imported again", async () => {
    const [dan, eve, owner] = [
      await server().anonymous("dan"),
      await server().anonymous("eve"),
      await server().owner(),
    ];
    await put(dan, letter);
    await put(owner, { title: "For all", text: "Hello", is_shared: true });
    const zip = await exportAll(dan);
    expect((await importFile(dan, zip)).end).toMatchObject({ prompts: 0, refused_prompts: 0 });
    expect((await importFile(eve, zip)).end).toMatchObject({ prompts: 1 });
    expect((await importFile(eve, zip)).end).toMatchObject({ prompts: 0 });
    const { prompts } = await eve.call("prompts.list");
    expect(prompts.map(({ title, is_shared }) => [title, is_shared])).toContainEqual(["Letter", false]);
    expect(prompts.find(({ title }) => title === "Letter")!.text).toBe(letter.text);

    // Shared ones of an export become the importer's own, also for those who may share.
    const all = await exportAll(owner);
    const { id } = (await owner.call("prompts.list")).prompts.find(({ title }) => title === "For all")!;
    await owner.call("prompts.remove", { params: { prompt_id: id } });
    await importFile(eve, all);
    expect(await titlesOf(dan)).not.toContain("For all");
    expect(await titlesOf(eve)).toContain("For all");
    await importFile(owner, all);
    expect(await titlesOf(owner)).toContain("For all");
    expect(await titlesOf(dan)).not.toContain("For all");
  });

  test("are erased with everything else of a person, except shared ones", async ({ dan }) => {
    await put(dan, letter);
    await dan.call("erasure.everything");
    expect(await titlesOf(dan)).not.toContain("Letter");
    await server().person("ada").fails("not-allowed", "prompts.list");
  });
});
