import { mailTexts, type MailKind } from "#contract/accounts/mail-texts.ts";
import { languageDirections, type LanguageTag } from "#contract/i18n/languages.ts";

export type MailMessage = {
  kind: MailKind;
  language: LanguageTag;
  /** The address of this server, as people see it. */
  server: string;
  inviter?: string;
  /** Of an alert. */
  app?: string;
  minutes?: string;
  value?: string;
  limit?: string;
  link?: string;
};

/** A message as plain text and as simple HTML. */
export function writeMessage({ kind, language, link, ...slots }: MailMessage): {
  subject: string;
  text: string;
  html: string;
} {
  const { subject, lines, button, foot } = mailTexts[language][kind];
  const fill = (template: string) =>
    template.replaceAll(
      /\{(\w+)\}/g,
      (slot, name: string) => (slots as Record<string, string>)[name] ?? slot,
    );
  const [before, after] = [lines.map(fill), foot === undefined ? [] : [fill(foot)]];
  const paragraph = (text: string) => `<p>${escapeHtml(text)}</p>`;
  const linkHtml =
    link === undefined
      ? ""
      : `<p><a href="${escapeHtml(link)}">${escapeHtml(button ?? link)}</a></p><p dir="ltr">${escapeHtml(link)}</p>`;
  return {
    // A name with a line break must not begin another header.
    subject: fill(subject).replaceAll(/\s+/g, " "),
    text: `${[...before, ...(link === undefined ? [] : [link]), ...after].join("\n\n")}\n`,
    html: `<!doctype html><html lang="${language}" dir="${languageDirections[language]}"><meta charset="utf-8"><body>${before.map(paragraph).join("")}${linkHtml}${after.map(paragraph).join("")}</body></html>`,
  };
}

function escapeHtml(text: string): string {
  const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return text.replaceAll(/[&<>"]/g, (character) => entities[character]!);
}
