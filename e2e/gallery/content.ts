import sharp from "sharp";

/** What the pages of the gallery show: every kind of part and of artifact, the same in each run. */

type Message = { role: "user" | "assistant"; content: object[] };

const drawing = await sharp({ create: { width: 240, height: 120, channels: 3, background: "#2a7f7a" } })
  .png()
  .toBuffer();
const picture = `data:image/png;base64,${drawing.toString("base64")}`;

/** Two seconds of a tone that grows louder, at 4,000 samples of a byte per second. */
const samples = Uint8Array.from({ length: 8_000 }, (_, i) => 128 + (i / 70) * Math.sin(i / 4));
const header = Buffer.alloc(44);
header.write("RIFF", 0);
header.writeUInt32LE(36 + samples.length, 4);
header.write("WAVEfmt ", 8);
header.writeUInt32LE(16, 16);
header.writeUInt16LE(1, 20);
header.writeUInt16LE(1, 22);
header.writeUInt32LE(4_000, 24);
header.writeUInt32LE(4_000, 28);
header.writeUInt16LE(1, 32);
header.writeUInt16LE(8, 34);
header.write("data", 36);
header.writeUInt32LE(samples.length, 40);
const tone = Buffer.concat([header, samples]).toString("base64");

const text = (value: string) => ({ type: "text", text: value });
const lines = (count: number, line: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => line(i)).join("\n");
const call = (toolCallId: string, toolName: string, rest: object) => ({
  type: "tool-call",
  toolCallId,
  toolName,
  args: { expression: "6 * 7" },
  ...rest,
});

/** Parts of each kind: complete, failed, stopped, denied, empty, and folded. */
export const parts: Message[] = [
  {
    role: "user",
    content: [
      text("Plan the weaving room.\n\nIt has two windows."),
      { type: "image", image: picture, filename: "room.png" },
      { type: "file", data: "data:text/plain;base64,Mg==", mimeType: "text/plain", filename: "measures.txt" },
    ],
  },
  {
    role: "assistant",
    content: [
      { type: "reasoning", text: "Two windows.", providerMetadata: { parlance: { durationMs: 3_000 } } },
      { type: "reasoning", text: "" },
      call("a", "calculate", { result: 42 }),
      call("b", "calculate", { result: "Division by zero", isError: true }),
      call("c", "calculate", {}),
      call("d", "send_mail", { isError: true, approval: { id: "d", approved: false, reason: "Not today" } }),
      text(
        "# The room\n\nIt has **two** windows, a *loom* and `3` chairs [1].\n\n> Measure twice.\n\n1. Floor\n2. Walls\n\n- [x] Light\n- [ ] Heat",
      ),
      text(
        "| Item | Width | Price |\n|---|--:|--:|\n| Loom | 2.0 | 140 |\n| Chair | 0.5 | 12 |\n\n$$a^2 + b^2 = c^2$$",
      ),
      text(`\`\`\`ts\n${lines(60, (i) => `const shelf${i} = "${i}";`)}\n\`\`\``),
      text(""),
      { type: "image", image: picture, filename: "plan.png" },
      {
        type: "file",
        data: "data:application/pdf;base64,JVBERi0=",
        mimeType: "application/pdf",
        filename: "plan.pdf",
      },
      { type: "audio", audio: { data: tone, format: "wav" } },
      { type: "data", name: "weather", data: { sky: "clear" } },
      { type: "hologram", depth: 3 },
      { type: "source", sourceType: "url", id: "s", url: "https://example.org/looms", title: "Looms" },
    ],
  },
];

const block = (info: string, code: string) => `\`\`\`${info}\n${code}\n\`\`\`\n\n`;

/** A diagram in an answer, a picture that cannot be shown, and a table, whose panel is loading. */
export const answerParts: Message[] = [
  { role: "user", content: [text("Show the steps.")] },
  {
    role: "assistant",
    content: [
      text(block("mermaid", "graph LR\n  A[Measure] --> B[Cut]\n  B --> C[Weave]")),
      { type: "image", image: "data:image/png;base64,AAAA", filename: "Broken plan" },
      text(block('csv title="Prices"', "item,price\nloom,140\nchair,12")),
    ],
  },
];

type Artifact = {
  name: string;
  key: string;
  ready: string;
  view?: string;
  press?: string;
  inFrame?: string;
};

/**
 * One artifact of each kind, and one without its end; `ready` is there once it is shown. Then other views and
 * states; `view` is that of the address, `press` a button to press first, and `inFrame` what a program then shows.
 */
export const artifactKinds: Artifact[] = [
  { name: "html", key: "html:Clock", ready: "text=Run" },
  { name: "svg", key: "svg:Circle", ready: "img" },
  { name: "mermaid", key: "mermaid:Steps", ready: "iframe" },
  { name: "csv", key: "csv:Prices", ready: "text=Loom" },
  { name: "markdown", key: "markdown:Notes", ready: "text=windows" },
  { name: "react", key: "react:Counter", ready: "text=Run" },
  { name: "code", key: "python:loom.py", ready: "code" },
  { name: "cut", key: "html:Cut", ready: "code" },
  { name: "plot", key: "csv:Prices", ready: "canvas", press: "Plot" },
  { name: "changes", key: "markdown:Notes", ready: "ins", view: "changes" },
  { name: "edit", key: "python:loom.py", ready: ".cm-content", view: "edit" },
  { name: "csv-empty", key: "csv:Nothing", ready: "[role=tabpanel]" },
  { name: "html-running", key: "html:Clock", ready: "iframe", press: "Run", inFrame: "12:00" },
  { name: "react-running", key: "react:Counter", ready: "iframe", press: "Run", inFrame: "1" },
  { name: "program", key: "html:Broken", ready: "text=1 error", press: "Run" },
  { name: "program-stopped", key: "html:Greedy", ready: "text=more than 1 GiB", press: "Run" },
  { name: "mermaid-failed", key: "mermaid:Unfinished", ready: "text=Parse error" },
  { name: "missing", key: "html:Nothing", ready: "text=This isn’t in the chat" },
];

export const artifacts: Message[] = [
  { role: "user", content: [text("Draw everything.")] },
  {
    role: "assistant",
    content: [
      text(
        block('html title="Clock"', "<!doctype html>\n<title>Clock</title>\n<h1>12:00</h1>") +
          block(
            'svg title="Circle"',
            '<svg viewBox="0 0 100 60"><circle cx="50" cy="30" r="25" fill="teal"/></svg>',
          ) +
          block('mermaid title="Steps"', "graph TD\n  A[Measure] --> B[Cut]\n  B --> C[Weave]") +
          block('mermaid title="Unfinished"', "graph TD\n  A[Measure") +
          block('csv title="Prices"', "Item,Price\nLoom,140\nChair,12\nLamp,35") +
          block('csv title="Nothing"', "") +
          block('markdown title="Notes"', "# Notes\n\nTwo **windows**, one loom.\n\n- Light\n- Heat") +
          block(
            'markdown title="Notes" update',
            "# Notes\n\nThree **windows**, one loom.\n\n- Light\n- Heat",
          ) +
          block(
            'html title="Broken"',
            "<!doctype html>\n<h1>Loom</h1>\n<script>console.log({ threads: 3 }); setTimeout(() => missing())</script>",
          ) +
          block(
            'html title="Greedy"',
            "<!doctype html>\n<h1>Loom</h1>\n<script>const threads = new Uint8Array(1.2e9)</script>",
          ) +
          block(
            'jsx title="Counter"',
            "export default function Counter() {\n  return <button>1</button>;\n}",
          ) +
          block(
            'python title="loom.py"',
            lines(20, (i) => `thread_${i} = weave(${i})`),
          ) +
          `\`\`\`html title="Cut"\n<h1>Not`,
      ),
    ],
  },
];

/** It has its own thread, because a page with thousands of lines makes every check of the others slow. */
export const hugeArtifact: Artifact = { name: "huge", key: "python:huge.py", ready: "code" };

export const hugeThread: Message[] = [
  { role: "user", content: [text("Write a long program.")] },
  {
    role: "assistant",
    content: [
      text(
        block(
          'python title="huge.py"',
          lines(3_000, (i) => `value_${i} = compute(${i}, "text")`),
        ),
      ),
    ],
  },
];
