/**
 * The id of a new sign-in provider, made of its name: it is part of the redirect URI, which has to be entered at the
 * provider before the provider is added here.
 */
export function signInProviderId(name: string, existing: readonly { id: string }[]): string {
  const letters = name.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();
  const words = letters.match(/[a-z0-9]+/g) ?? ["provider"];
  const base = words.join("-").slice(0, 40);
  let id = base;
  for (let number = 2; existing.some((each) => each.id === id); number++) id = `${base}-${number}`;
  return id;
}
