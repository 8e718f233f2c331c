/**
 * The form in which e-mail addresses are compared. Mail servers may distinguish upper and lower case before the `@`; in
 * practice none does, and people do not expect it.
 */
export function emailKey(email: string): string {
  return email.trim().normalize("NFC").toLowerCase();
}

/** Whether this can be an e-mail address. Only a message to it could show whether it is one. */
export function isEmail(text: string): boolean {
  return /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(text.trim()) && text.isWellFormed();
}

/** The domain of an address, as it is compared. */
export function domainOf(email: string): string {
  return emailKey(email).split("@").at(-1)!;
}
