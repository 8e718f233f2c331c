import type { OpenApi } from "#contract/reference/openapi.ts";
import { chaptersOf, shapesOf, sharedErrors, type Entry } from "./chapters.ts";
import type { Field } from "./fields.ts";
import { words } from "./words.ts";

/** The text of docs/api.md. */
export function referenceMarkdown(document: OpenApi): string {
  const chapters = chaptersOf(document);
  const { credential, server } = sharedErrors();
  const lines = [
    `# ${words.title}`,
    "<!-- Made by `node scripts/run.mjs reference` from contract/. Change it there. -->",
    words.lead,
    "A running server shows this page at `/docs` and tells it to programs at `/openapi.json`.",
    ...chapters.map(
      ({ title, entries }) =>
        `* **${title}**: ${entries.map((entry) => `[${entry.title}](#${entry.id})`).join(" · ")}`,
    ),
    `## ${words.begin.title}`,
    words.begin.text,
    fenced(words.begin.code("http://127.0.0.1:3000")),
    `## ${words.rules.title}`,
    words.rules.list.map((rule) => `* ${rule}`).join("\n"),
    `## ${words.errors.title}`,
    words.errors.text,
    words.errors.credential,
    errorTable(credential),
    words.errors.server,
    errorTable(server),
    ...chapters.flatMap(({ title, about, entries }) => [
      `## ${title}`,
      about,
      ...entries.flatMap(entryLines),
    ]),
    `## ${words.shapes.title}`,
    words.shapes.text,
    ...shapesOf(document).flatMap(({ id, name, about, fields }) => [
      `<a id="${id}"></a>`,
      `### ${name}`,
      about,
      fieldTable(fields),
    ]),
  ];
  // A list of one line each stands together.
  return `${lines.join("\n\n").replaceAll(/(\n\* .*)\n(?=\n\* )/g, "$1")}\n`;
}

function entryLines(entry: Entry): string[] {
  const { answer } = entry;
  return [
    `<a id="${entry.id}"></a>`,
    `### ${entry.title}`,
    `\`${entry.method} ${entry.path}\``,
    `${entry.about} *${entry.caller}*`,
    ...(entry.query.length === 0 ? [] : [`**${words.query}**`, fieldTable(entry.query)]),
    ...(entry.body.length === 0 ? [] : [`**${words.body}**`, fieldTable(entry.body)]),
    `**${words.answer}** ${answer.status}${answer.text === "" ? "" : `: ${answer.text}`}`,
    ...(answer.fields.length === 0 ? [] : [fieldTable(answer.fields)]),
    ...(entry.errors.length === 0
      ? []
      : [
          `**${words.failures}** ${entry.errors.map(({ status, code }) => `\`${code}\` (${status})`).join(", ")}`,
        ]),
    fenced(entry.curl),
  ];
}

function fieldTable(fields: Field[]): string {
  const rows = fields.map(
    ({ name, type, required, about }) =>
      `| \`${name}\` | ${type}${required ? "" : `, ${words.optional}`} | ${about} |`,
  );
  return [`| ${words.field} | ${words.type} | ${words.meaning} |`, "|---|---|---|", ...rows].join("\n");
}

function errorTable(list: Entry["errors"]): string {
  const rows = list.map(({ status, code, message }) => `| ${status} | \`${code}\` | ${message} |`);
  return [`| ${words.status} | ${words.code} | ${words.remedy} |`, "|---|---|---|", ...rows].join("\n");
}

function fenced(code: string): string {
  return `\`\`\`sh\n${code}\n\`\`\``;
}
