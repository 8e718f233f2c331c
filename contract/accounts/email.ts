/**
 * The form in which e-mail addresses are compared. Mail servers may distinguish upper and lower case before the `@`; in
 * practice none does, and people do not expect it.
 */
export function emailKey(email: string): string {
  return email.trim().normalize("NFC").toLowerCase();
}

/** Whether `text` looks like an e-mail address. Only a message to the address could confirm that it exists. */
export function isEmail(text: string): boolean {
  return /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(text.trim()) && text.isWellFormed();
}

/** The mailbox of an address: many servers deliver `ada+shop@example.com` to `ada@example.com`. */
export function mailboxOf(email: string): string {
  return emailKey(email).replace(/\+[^@]*(?=@[^@]*$)/, "");
}

export function domainOf(email: string): string {
  return emailKey(email).split("@").at(-1)!;
}
