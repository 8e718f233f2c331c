import { expect, test } from "vitest";
import type { ModelDocument, ModelMessage, ModelUserPart } from "../model.ts";
import { createBuiltin } from "./builtin.ts";

const builtin = createBuiltin({ wordMs: 0 });

async function ask(parts: ModelUserPart[], before: ModelMessage[] = []): Promise<string> {
  let said = "";
  const messages: ModelMessage[] = [...before, { role: "user", parts }];
  for await (const event of builtin.stream(
    { messages, tools: [], purpose: "answer" },
    new AbortController().signal,
  ))
    if (event.type === "text") said += event.text;
  return said;
}

const words = (text: string): ModelUserPart => ({ type: "text", text });
const document = (text: string, more: Partial<ModelDocument> = {}): ModelDocument => ({
  type: "document",
  name: "beds.csv",
  mediaType: "text/csv",
  sizeBytes: text.length,
  text,
  ...more,
});
const beds = document('bed,metres,price\nnorth,4.5,"1,200.10"\nsouth,0.1,"€ 3"\nold,,n/a\n');

test("says what came, the shape of a table, and how it begins", async () => {
  const said = await ask([words("here"), beds]);
  expect(said).toMatch(/\*\*beds\.csv\*\* \(text\/csv, \d+ bytes\)/);
  expect(said).toContain("3 rows, 3 columns (bed, metres, price)");
  expect(said).toContain("```text\nbed,metres,price\nnorth,4.5");
  expect(said).toContain("without a language model, and none is connected here");
});

test("works out what is asked of a column, exactly, also of a file that came before", async () => {
  const said = await ask([words("What is the sum and the average of price?"), beds]);
  expect(said).toContain(
    "The sum of **price** in *beds.csv* is **1203.10** (2 numbers; 1 row without a number).",
  );
  expect(said).toContain("The average of **price** in *beds.csv* is **601.55**");
  const before: ModelMessage[] = [{ role: "user", parts: [words("here"), beds] }];
  expect(await ask([words("and the total of metres?")], before)).toContain("**4.6** (2 numbers");
  expect(await ask([words("the largest metres, please")], before)).toContain("largest of **metres**");
});

test("works out the sheets of a workbook, and says where it has only the beginning", async () => {
  const book = document("--- sheet Harvest ---\nplant,kg\nbean,3\npea,4\n\n--- sheet Costs ---\nseed,4.2\n", {
    name: "garden.xlsx",
    mediaType: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    isCut: true,
  });
  expect(await ask([words("sum of kg"), book])).toContain(
    "The sum of **kg** in *Harvest* is **7** (2 numbers; of the file's beginning alone).",
  );
  expect(await ask([words("what is this"), book])).toContain("- *Harvest*: 2 rows, 2 columns (plant, kg)");
});

test("finds the places that answer a question in a document", async () => {
  const handbook = document(
    [
      "The office opens at eight in the morning. Lunch is at noon, in the kitchen, and whoever cooks it need not wash up.",
      "Holidays are asked for three weeks ahead, in writing, and granted by whoever is to do the work in the meantime.",
      "Bring your own cup. Those on the shelf belong to people who have been here for longer than you have, and mind.",
    ].join("\n\n"),
    { name: "handbook.pdf", mediaType: "application/pdf", pages: 1 },
  );
  const said = await ask([words("When do I have to ask for holidays?"), handbook]);
  expect(said).toContain("This stands in **handbook.pdf**:");
  expect(said).toContain("> Holidays are asked for three weeks ahead, in writing, and");
  expect(said).not.toContain("Bring your own cup");
});

test("shows a document's text as text, whatever stands in it, and names what it cannot read", async () => {
  const said = await ask([
    document("```\n![x](https://evil.example/p.png)\n```", { name: "n.md", mediaType: "text/markdown" }),
    { type: "unread-file", name: "garden.png", mediaType: "image/png", sizeBytes: 3_038, reason: "model" },
  ]);
  expect(said).toContain("````text\n```\n![x](https://evil.example/p.png)\n```\n````");
  expect(said).toContain("**garden.png** (image/png, 3 KB): I cannot read this kind of file.");
});

test("loses nothing of a file that it quotes", async () => {
  const code = [
    "# the first comment on the greenhouse controller",
    "class Greenhouse:",
    "    def __init__(self, x):",
    "        self.humidity = x ** 2",
    "",
    "- 5.00 refund of the greenhouse humidity sensor",
  ].join("\n");
  const said = await ask([
    words("Where does the greenhouse set its humidity?"),
    document(code, { name: "greenhouse_v2.py", mediaType: "text/plain" }),
  ]);
  expect(said).toContain(String.raw`This stands in **greenhouse\_v2.py**:`);
  expect(said).toContain(String.raw`> \# the first comment`);
  expect(said).toContain(String.raw`def \_\_init\_\_(self, x):`);
  expect(said).toContain(String.raw`self.humidity = x \*\* 2`);
  expect(said).toContain("\n>\n");
  expect(said).toContain(String.raw`> \- 5.00 refund`);
});

test("makes no mathematics of a column's name", async () => {
  const said = await ask([words("here"), document("Price ($),Cost ($)\n1,2\n", { name: "a$b$.csv" })]);
  expect(said).toContain(String.raw`(Price (\$), Cost (\$))`);
  expect(said).toContain(String.raw`**a\$b\$.csv**`);
});

test("speaks Arabic of files where it is asked in Arabic", async () => {
  const sales = document("المنتج,المبلغ\nتفاح,12.5\nخبز,3\nتمر,\n", { name: "مبيعات.csv" });
  const what = await ask([words("ما هذا الملف؟"), sales]);
  expect(what).toMatch(/^الملف \*\*مبيعات\.csv\*\* \(text\/csv، /);
  expect(what).toContain("3 صفوف، عمودان (المنتج، المبلغ)");
  expect(what).toContain("بدايته:\n\n```text\nالمنتج,المبلغ");
  expect(what).toContain("هذا ما يمكن قراءته دون نموذج لغوي، ولا نموذج موصول هنا.");
  const sum = await ask([words("كم مجموع المبلغ وأكبر قيمة فيه؟"), sales]);
  expect(sum).toContain("مجموع **المبلغ** في *مبيعات.csv*: **15.5** (عددان؛ صف واحد بلا عدد).");
  expect(sum).toContain("أكبر قيمة في **المبلغ** في *مبيعات.csv*: **12.5**");
  const unread: ModelUserPart = {
    type: "unread-file",
    name: "عقد.pdf",
    mediaType: "application/pdf",
    sizeBytes: 2_500_000,
    reason: "locked",
  };
  expect(await ask([words("لخص هذا من فضلك"), unread])).toContain(
    "الملف **عقد.pdf** (application/pdf، 2.5 ميغابايت): لا يُفتح إلا بكلمة مرور.",
  );
});

test.for([
  ["اجمع عمود المبلغ", "مجموع **المبلغ**"],
  ["ما القيمة العظمى؟", "أكبر قيمة في **المبلغ**"],
  ["القيمة الصغرى", "أصغر قيمة في **المبلغ**"],
  ["الوسط الحسابي للمبلغ", "متوسط **المبلغ**"],
  ["كم الاجمالى؟", "مجموع **المبلغ**"],
  ["ما القيمة للمجموع؟", "مجموع **المبلغ**"],
  ["ما المعدل؟", "متوسط **المبلغ**"],
  ["كم مجموعه؟", "مجموع **المبلغ**"],
  ["ما مجموع مبلغ المبيعات؟", "مجموع **المبلغ**"],
  ["أخبرني أكثر عن هذا الملف", undefined],
  ["أقل من 10", undefined],
  ["ما هذا الملف المعدل", undefined],
  ["من جمع هذه البيانات؟", undefined],
  ["هذه مجموعه من البيانات", undefined],
] as const)("reads what is wished of a column in Arabic: %j", async ([question, figure]) => {
  const said = await ask([words(question), document("المنتج,المبلغ\nتفاح,12.5\nخبز,3\n", { name: "s.csv" })]);
  if (figure === undefined) expect(said).toMatch(/^الملف \*\*s\.csv\*\*/);
  else expect(said).toContain(figure);
});

test("says in Arabic that it has only the beginning", async () => {
  const cut = document("أ,ب\n1,2\n", { isCut: true });
  expect(await ask([words("ما هذا؟"), cut])).toContain("لديّ بدايته فقط");
});
