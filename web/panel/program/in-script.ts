/** A script as text that cannot end the element around it. */
export function inlineScript(script: string): string {
  return script.replaceAll(/<\/(script)/gi, "<\\/$1").replaceAll("<!--", "<\\!--");
}

/** A text as a literal that cannot end the script around it. */
export function inScript(text: string): string {
  return JSON.stringify(text).replaceAll("<", "\\u003c");
}
