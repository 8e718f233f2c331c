/** The domains in a text field. */
export function domainsIn(text: string): string[] {
  return text.split(/[\s,;]+/).filter((domain) => domain !== "");
}

/** The first entry that is no domain. */
export function wrongDomainIn(text: string): string | undefined {
  return domainsIn(text).find((domain) => !/^[^\s@]+\.[^\s@]+$/.test(domain));
}
