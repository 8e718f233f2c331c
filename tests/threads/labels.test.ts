import { expect } from "vitest";
import type { LabelKind } from "#contract/labels/endpoints.ts";
import { newId } from "#contract/ids.ts";
import { userMessage } from "#fixtures/people.ts";
import { limits } from "#contract/limits.ts";
import { exportAll, importFile } from "../support/clients/transfer.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { bearer, newAddress, signUp, visitor, type Visitor } from "../support/clients/visitor.ts";
import { describeServer, test } from "../support/servers/server.ts";

const startMs = Date.parse("2026-01-31T12:00:00.000Z");

describeServer("folders and tags", {}, (server) => {
  const put = async (who: Visitor, kind: LabelKind, name: string, id = newId("label")) =>
    (await who.call("labels.put", { params: { label_id: id }, body: { kind, name } })).label;
  const ask = async (who: Visitor, kind: LabelKind, name: string, id = newId("label")) =>
    await who.ask("labels.put", { params: { label_id: id }, body: { kind, name } });
  const namesOf = async (who: Visitor) => (await who.call("labels.list")).labels.map(({ name }) => name);
  const create = async (who: Visitor, title: string, minute = 0) =>
    (
      await who.call("threads.create", {
        body: { title, last_message_at: new Date(startMs + minute * 60_000).toISOString() },
      })
    ).thread_id;
  const threadOf = async (who: Visitor, id: string) =>
    (await who.call("threads.get", { params: { thread_id: id } })).thread;
  const update = async (
    who: Visitor,
    id: string,
    body: { folder_id?: string | null; tag_ids?: string[]; metadata?: Record<string, never> },
  ) => await who.ask("threads.update", { params: { thread_id: id }, body });
  const titlesOf = async (who: Visitor, query: Record<string, string>) =>
    (await who.call("threads.list", { query })).threads.map(({ title }) => title);

  test("sort threads, and lists show those of one", async ({ dan }) => {
    const garden = await put(dan, "folder", "  The \n garden ");
    expect(garden.name).toBe("The garden");
    const [seeds, urgent] = [await put(dan, "tag", "seeds"), await put(dan, "tag", "Urgent")];
    const [a, b] = [await create(dan, "Sowing", 1), await create(dan, "Letters", 2)];
    await update(dan, a, { folder_id: garden.id, tag_ids: [urgent.id, seeds.id, seeds.id] });
    expect(await threadOf(dan, a)).toMatchObject({ folder_id: garden.id, tag_ids: [seeds.id, urgent.id] });
    expect(await threadOf(dan, b)).toMatchObject({ folder_id: null, tag_ids: [], metadata: null });
    expect(await titlesOf(dan, { folder_id: garden.id })).toEqual(["Sowing"]);
    expect(await titlesOf(dan, { tag_id: seeds.id })).toEqual(["Sowing"]);
    expect(await titlesOf(dan, { in_folder: "false" })).toEqual(["Letters"]);
    expect(await titlesOf(dan, {})).toEqual(["Letters", "Sowing"]);
    await update(dan, a, { folder_id: null, tag_ids: [] });
    expect(await threadOf(dan, a)).toMatchObject({ folder_id: null, tag_ids: [], metadata: null });
  });

  test("of two people with one new id belong to one of them", async ({ dan, eve }) => {
    for (let n = 0; n < 10; n++) {
      const id = newId("label");
      const asked = [
        ask(dan, "tag", `Dan's ${n}`, id),
        ask(eve, "tag", `Eve's ${n}`, id),
        ask(dan, "tag", `Dan's ${n}`, id),
      ];
      const answers = await Promise.all(asked);
      const owners = [dan, eve].filter((_, at) => answers[at]!.status === 200);
      expect(owners).toHaveLength(1);
      for (const answer of answers) if (answer.status !== 200) expectProblem(answer, "label-not-found");
    }
    expect((await namesOf(dan)).every((name) => name.startsWith("Dan's"))).toBe(true);
    expect((await namesOf(eve)).every((name) => name.startsWith("Eve's"))).toBe(true);
  });

  test("take in a thread that a message creates", async () => {
    const [dan, eve] = [await server().anonymous("dan"), await server().anonymous("eve")];
    const folder = await put(dan, "folder", "Trips");
    const folderOf = async (who: Visitor, folderId: string, other: { temporary?: true } = {}) => {
      const id = newId("thread");
      await who.call("runs.start", {
        params: { thread_id: id },
        body: { message: { parent_id: null, content: userMessage("Where?") }, folder_id: folderId, ...other },
      });
      return (await threadOf(who, id)).folder_id;
    };
    expect(await folderOf(dan, folder.id)).toBe(folder.id);
    expect(await folderOf(dan, newId("label"))).toBeNull();
    expect(await folderOf(dan, (await put(dan, "tag", "Work")).id)).toBeNull();
    expect(await folderOf(dan, folder.id, { temporary: true })).toBeNull();
    expect(await folderOf(eve, folder.id)).toBeNull();
  });

  test("are renamed on all threads at once, and deleted without their threads", async ({ dan }) => {
    const [folder, tag] = [await put(dan, "folder", "Work"), await put(dan, "tag", "old")];
    const ids = [await create(dan, "One"), await create(dan, "Two")];
    for (const id of ids) await update(dan, id, { folder_id: folder.id, tag_ids: [tag.id] });
    await put(dan, "tag", "new", tag.id);
    await put(dan, "tag", "new", tag.id);
    for (const id of ids)
      expect((await threadOf(dan, id)).metadata).toEqual({ parlance: { folder: "Work", tags: ["new"] } });
    for (const { id } of [folder, tag]) await dan.call("labels.remove", { params: { label_id: id } });
    for (const id of ids)
      expect(await threadOf(dan, id)).toMatchObject({ folder_id: null, tag_ids: [], metadata: null });
    await dan.fails("label-not-found", "labels.remove", { params: { label_id: tag.id } });
  });

  test("are in the metadata of a client of the protocol, which can neither lose nor change them", async () => {
    const ada = server().inNewWorkspace();
    const [folder, tag] = [await put(ada, "folder", "Work"), await put(ada, "tag", "tax")];
    const id = await create(ada, "Receipts");
    const mine = JSON.parse('{"colour":"green","__proto__":{"kept":true}}') as Record<string, never>;
    await update(ada, id, { folder_id: folder.id, tag_ids: [tag.id], metadata: mine });
    const seen = await threadOf(ada, id);
    expect(JSON.stringify(seen.metadata)).toBe(
      '{"colour":"green","__proto__":{"kept":true},"parlance":{"folder":"Work","tags":["tax"]}}',
    );
    // What an application writes back is older than a change in the meantime.
    await put(ada, "tag", "taxes", tag.id);
    await update(ada, id, { metadata: { ...(seen.metadata as typeof mine), colour: "red" as never } });
    expect((await threadOf(ada, id)).metadata).toMatchObject({
      colour: "red",
      parlance: { folder: "Work", tags: ["taxes"] },
    });
    await update(ada, id, { metadata: {} });
    expect((await threadOf(ada, id)).metadata).toEqual({ parlance: { folder: "Work", tags: ["taxes"] } });
    await update(ada, id, { folder_id: null, tag_ids: [] });
    expect((await threadOf(ada, id)).metadata).toEqual({});
  });

  test("are refused with what is wrong", async ({ dan }) => {
    const work = await put(dan, "folder", "Straße");
    expectProblem(await ask(dan, "folder", "STRASSE".replace("SS", "ß")), "label-name-taken");
    await put(dan, "tag", "Straße");
    expectProblem(await ask(dan, "tag", "other", work.id), "label-not-found");
    for (const [field, name] of [
      ["body.name", " "],
      ["body.name", "a".repeat(limits.labelCharacters + 1)],
    ] as const) {
      const answer = await ask(dan, "tag", name);
      expectProblem(answer, "bad-request");
      expect(answer.text).toContain(field);
    }
    expectProblem(await ask(dan, "tag", "x", "mine"), "bad-request");
    const id = await create(dan, "One");
    const many = Array.from({ length: limits.tagsPerThread + 1 }, () => newId("label"));
    expectProblem(await update(dan, id, { tag_ids: many }), "bad-request");
    expectProblem(await update(dan, id, { tag_ids: [newId("label")] }), "label-not-found");
    expectProblem(await update(dan, id, { tag_ids: [work.id] }), "label-not-found");
    for (let n = 1; n < limits.labelsMax; n++) await put(dan, "folder", `No. ${n}`);
    expectProblem(await ask(dan, "folder", "One more"), "too-many-labels");
  });

  test("of one person are unknown to everybody else", async () => {
    const [dan, eve] = [await server().anonymous("dan"), await server().anonymous("eve")];
    const secret = await put(dan, "folder", "Divorce");
    const id = await create(eve, "Hers");
    expect(await namesOf(eve)).toEqual([]);
    expectProblem(await ask(eve, "folder", "Mine", secret.id), "label-not-found");
    await eve.fails("label-not-found", "labels.remove", { params: { label_id: secret.id } });
    expectProblem(await update(eve, id, { folder_id: secret.id }), "label-not-found");
    expect(await titlesOf(eve, { folder_id: secret.id })).toEqual([]);
    await put(eve, "folder", "Divorce");
    expect(await namesOf(dan)).toEqual(["Divorce"]);
  });

  test("of a guest join those of the account", async ({ ada }) => {
    const { access_token, refresh_token } = await signUp(server().url);
    const dan = visitor(server().url, "dan", { ...bearer(access_token), ...newAddress() });
    const theirs = await put(ada, "tag", "Work");
    const tag = await put(dan, "tag", "work");
    const folder = await put(dan, "folder", "Trips");
    const id = await create(dan, "Rome");
    await update(dan, id, { folder_id: folder.id, tag_ids: [tag.id] });
    await ada.call("threads.claim", { body: { refresh_token: refresh_token.token } });
    expect(await threadOf(ada, id)).toMatchObject({ folder_id: folder.id, tag_ids: [theirs.id] });
    expect(await namesOf(ada)).toEqual(["Trips", "Work"]);
    expect(await namesOf(dan)).toEqual([]);
  });

  test("are in exports, and an import finds or creates them by name", async ({ dan, eve }) => {
    const [folder, tag] = [await put(dan, "folder", "Trips"), await put(dan, "tag", "2026")];
    const id = await create(dan, "Rome");
    await update(dan, id, { folder_id: folder.id, tag_ids: [tag.id], metadata: { a: 1 as never } });
    const zip = await exportAll(dan);
    const hers = await put(eve, "tag", "2026");
    await importFile(eve, zip);
    const [thread] = (await eve.call("threads.list")).threads;
    expect(thread).toMatchObject({
      tag_ids: [hers.id],
      metadata: { a: 1, parlance: { folder: "Trips", tags: ["2026"] } },
    });
    expect(await namesOf(eve)).toEqual(["2026", "Trips"]);
  });
});
