import type { OpenApi } from "#contract/reference/openapi.ts";
import { chaptersOf, shapesOf, sharedErrors, type Chapter, type Entry } from "./chapters.ts";
import type { Field } from "./fields.ts";
import { words } from "./words.ts";

/** What stands in the page of the reference, as HTML: `address` is where its examples find this server. */
export function referenceHtml(document: OpenApi, address: string): string {
  const chapters = chaptersOf(document);
  const { credential, server } = sharedErrors();
  return [
    contents(chapters),
    "<main>",
    `<header><h1>${words.title}</h1>${paragraph(words.lead)}${paragraph(words.machine)}</header>`,
    section("begin", words.begin.title, [
      paragraph(words.begin.text),
      codeBlock(words.begin.code(address), words.begin.title),
    ]),
    section("rules", words.rules.title, [
      `<ul>${words.rules.list.map((rule) => `<li>${inline(rule)}</li>`).join("")}</ul>`,
    ]),
    section("errors", words.errors.title, [
      paragraph(words.errors.text),
      paragraph(words.errors.credential),
      errorTable(credential),
      paragraph(words.errors.server),
      errorTable(server),
    ]),
    ...chapters.map(({ id, title, about, entries }) =>
      section(id, title, [paragraph(about), ...entries.map(entryHtml)]),
    ),
    section("shapes", words.shapes.title, [
      paragraph(words.shapes.text),
      ...shapesOf(document).map(
        (shape) =>
          `<section id="${shape.id}">${heading(3, shape.id, shape.name)}${paragraph(shape.about)}${fieldTable(shape.fields)}</section>`,
      ),
    ]),
    "</main>",
  ].join("\n");
}

function contents(chapters: Chapter[]): string {
  const link = (id: string, text: string) => `<li><a href="#${id}">${escaped(text)}</a></li>`;
  const lists = chapters.map(
    ({ id, title, entries }) =>
      `<li><a href="#${id}">${escaped(title)}</a><ul>${entries.map((entry) => link(entry.id, entry.title)).join("")}</ul></li>`,
  );
  const first = [
    link("begin", words.begin.title),
    link("rules", words.rules.title),
    link("errors", words.errors.title),
  ];
  return `<nav aria-label="${words.contents}"><a class="home" href="/">${words.home}</a><ul>${[...first, ...lists, link("shapes", words.shapes.title)].join("")}</ul></nav>`;
}

function entryHtml(entry: Entry): string {
  const { answer } = entry;
  return [
    `<section class="entry" id="${entry.id}">`,
    heading(3, entry.id, entry.title),
    `<p class="line"><b class="${entry.method.toLowerCase()}">${entry.method}</b> <code>${escaped(entry.path).replaceAll("/", "/<wbr>")}</code></p>`,
    paragraph(entry.about),
    `<p class="caller">${inline(entry.caller)}</p>`,
    `<h4>${words.example}</h4>${codeBlock(entry.curl, `${words.example}: ${entry.title}`)}`,
    entry.query.length === 0 ? "" : `<h4>${words.query}</h4>${fieldTable(entry.query)}`,
    entry.body.length === 0 ? "" : `<h4>${words.body}</h4>${fieldTable(entry.body)}`,
    `<h4>${words.answer} <span>${answer.status}</span></h4>`,
    answer.text === "" ? "" : paragraph(answer.text),
    answer.fields.length === 0 ? "" : fieldTable(answer.fields),
    entry.errors.length === 0 ? "" : `<h4>${words.failures}</h4>${errorTable(entry.errors)}`,
    "</section>",
  ].join("");
}

function section(id: string, title: string, inside: string[]): string {
  return `<section id="${id}">${heading(2, id, title)}${inside.join("\n")}</section>`;
}

/** A heading that leads to itself, for whoever wants to send it to someone. */
function heading(level: 2 | 3, id: string, text: string): string {
  return `<h${level}><a href="#${id}">${escaped(text)}</a></h${level}>`;
}

function fieldTable(fields: Field[]): string {
  const rows = fields.map(
    ({ name, type, required, about }) =>
      `<dt><code>${escaped(name).replaceAll(/([._])/g, "$1<wbr>")}</code><span>${inline(type)}${required ? "" : `, <i>${words.optional}</i>`}</span></dt><dd>${inline(about)}</dd>`,
  );
  return `<dl>${rows.join("")}</dl>`;
}

function errorTable(list: Entry["errors"]): string {
  const rows = list.map(
    ({ status, code, message }) =>
      `<dt><code>${code}</code><span>${status}</span></dt><dd>${escaped(message)}</dd>`,
  );
  return `<dl class="errors">${rows.join("")}</dl>`;
}

/** It scrolls by itself where it is wide, so the keyboard must reach it. */
function codeBlock(code: string, label: string): string {
  return `<pre tabindex="0" role="region" aria-label="${escaped(label)}"><code>${escaped(code)}</code></pre>`;
}

function paragraph(text: string): string {
  return `<p>${inline(text)}</p>`;
}

/** Markdown of one line: `code` and [links](#anchor). */
function inline(text: string): string {
  return escaped(text)
    .replaceAll(/`([^`]+)`/g, "<code>$1</code>")
    .replaceAll(/\[([^\]]+)\]\(([#/][\w./-]*)\)/g, '<a href="$2">$1</a>');
}

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
