import { factsOfAll } from "./facts/nouns.ts";

/** Limits of the service. Names have units; comments have the reasons. "The protocol" is the hosted chat service's. */

const KiB = 1024;
const MiB = 1024 * KiB;

export const limits = {
  /** The protocol's number. */
  accessTokenMs: 5 * 60_000,
  /** From its last use. The protocol's number. */
  refreshTokenMs: 30 * 24 * 3_600_000,
  /** Tokens are valid this long before they were issued, for clocks that are slow (the protocol's `nbf = iat - 10`). */
  clockSkewMs: 10_000,

  /** Per minute and IP address. Not lower: a client whose clock is 5 minutes fast refreshes on every request. */
  anonymousSignUpsPerMinute: 30,
  /** Per minute and IP address, for the same reason. */
  refreshesPerMinute: 120,
  /** The web app opens a session with every page, and hundreds of people may share an address. */
  sessionsPerMinute: 600,
  /** Requests that check or set a password, per minute and IP address: an office may share one. */
  passwordsPerMinute: 60,
  healthChecksPerMinute: 6,
  /** Wrong passwords and recovery codes per account or link, from one address, before each further attempt has to wait. */
  passwordTriesPerAddress: 10,
  /** The same per account, from all addresses that it was never signed in from. */
  passwordTriesPerAccount: 50,
  /** The first wait. Each further one is twice as long. */
  firstAttemptWaitMs: 30_000,
  /** The longest wait, so that an attacker cannot lock an account for long. */
  longestPasswordWaitMs: 15 * 60_000,
  /** Wrong codes of a second factor, from one address, before each further attempt has to wait. */
  secondFactorTriesPerAddress: 5,
  /** The same per account, from all addresses that it was never signed in from. */
  secondFactorTriesPerAccount: 10,
  /**
   * With one attempt an hour, an attacker who knows the password guesses the six digits in a few years. Meanwhile the
   * owner has recovery codes.
   */
  longestSecondFactorWaitMs: 24 * 3_600_000,
  /** Failed attempts are forgotten this long after the last one. */
  failedAttemptsMs: 7 * 24 * 3_600_000,
  secondFactorSetupMs: 10 * 60_000,
  /** NIST's minimum for passwords that people choose. */
  passwordCharactersMin: 8,
  passwordCharacters: 256,
  /** The longest address that mail servers accept. */
  emailCharacters: 254,
  accountNameCharacters: 100,
  groupsMax: 2_000,
  /** Models, assistants or tools that a group is given by name. */
  allowedMax: 1_000,
  /** The largest budget of a person or a group. */
  budgetTokensMax: 1_000_000_000_000,
  budgetUsdMax: 1_000_000,
  /** Valid keys of one person. */
  personalKeysMax: 50,
  /** The links of one person that are not revoked. */
  sharesMax: 500,
  /** The key of what a panel shows, and of its version. No answer has longer ones. */
  panelKeyCharacters: 300,
  /** People and groups that a thread is shared with. */
  threadMembersMax: 100,
  /** People and groups that a search for new members finds. */
  memberCandidates: 8,
  /** Threads in the list of those that others share with a person. */
  sharedThreads: 200,
  /** How long others see that somebody is typing. */
  typingMs: 6_000,
  /** How often a person may say that they are typing; the web app does so less often. */
  typingPerMinute: 60,
  /** Messages on a page of a shared thread. */
  sharePage: 200,
  /** Their text. */
  sharePageCharacters: 2 * MiB,
  /** The text of one message that a page shows. */
  shareMessageCharacters: 100_000,
  /** The HTML of one message that a page shows. A message with more is shown as plain text. */
  shareHtmlCharacters: 2 * MiB,
  /** How long a message of a shared thread may be rendered. Then it is shown as plain text. Ordinary long ones take 100 ms. */
  shareRenderMs: 1_500,
  /** Milliseconds of rendering per minute: for each link, and for each IP address that asks for it. */
  shareRenderMsPerMinute: 20_000,
  /** Stored HTML of shared messages, compressed. The oldest is deleted first. */
  shareHtmlBytes: 64 * MiB,
  /** The last messages of a branch that are copied into a new thread. */
  copiedMessagesMax: 2_000,
  /** Their text. */
  copiedCharactersMax: 16 * MiB,
  /** Requests for pages and files of shared threads, per minute and IP address. */
  shareViewsPerMinute: 1_200,
  /** Links to set a new password. */
  resetLinkMs: 24 * 3_600_000,
  /** Links that people request for themselves by e-mail. */
  mailedResetLinkMs: 3_600_000,
  /** Links that confirm the e-mail address of somebody who waits for an account. */
  confirmationLinkMs: 24 * 3_600_000,
  /** Such e-mails per mailbox in `confirmationMailsSeconds`, and to everyone together in `allConfirmationMailsSeconds`. */
  confirmationMails: 5,
  confirmationMailsSeconds: 24 * 3_600,
  allConfirmationMails: 300,
  allConfirmationMailsSeconds: 3_600,
  /** How long a request for an account waits, and how long if a link was mailed for it and none works any more. */
  joinRequestMs: 30 * 24 * 3_600_000,
  unconfirmedJoinRequestMs: 7 * 24 * 3_600_000,
  /** Links to set a new password that were mailed, per account in `resetMailsSeconds`. */
  resetMails: 3,
  resetMailsSeconds: 15 * 60,
  invitationMs: 7 * 24 * 3_600_000,
  /** How long people may take to use a passkey. */
  passkeyChallengeMs: 5 * 60_000,
  passkeysMax: 50,
  /** How long after a sign-in somebody can change how they sign in. */
  recentSignInMs: 10 * 60_000,
  /** 7 days: how long people can undo the deletion of their account. */
  accountDeletionMs: 7 * 24 * 60 * 60_000,
  /** How long people may take to sign in at a provider. */
  signInFlowMs: 15 * 60_000,
  /**
   * Requests that store text, per minute and guest: enough for a client of the protocol, which has no such limit, to
   * store long threads. Each `guestWriteBytes` of a body count as one more, so that a guest stores at most 10 MiB a minute.
   */
  guestWritesPerMinute: 600,
  /** The same for all guests of one IP address. */
  guestWritesPerMinuteAndAddress: 3_000,
  /** Bytes that count as one request. */
  guestWriteBytes: 16 * KiB,
  /** The proposed budget of all guests together: some hundred short questions, or a few dozen with long chats and files. */
  guestTokensPerDay: 200_000,
  /** UI events per minute and user, in any number of requests. */
  eventsPerMinute: 600,

  threadPage: 20,
  threadPageMax: 100,
  messagePage: 200,
  messagePageMax: 200,
  branchPage: 100,
  /** Per app. Every request of a page is compared with all of them. */
  appOriginsMax: 100,
  runPage: 50,
  runPageMax: 100,
  scorePage: 50,
  scorePageMax: 200,
  messagesRemovedMax: 200,
  /** Per thread. Every request has all pinned messages of its branch. */
  pinnedMessagesMax: 20,
  /** About 10,000 tokens of English, a third of what a model with an unknown context gets. */
  pinnedCharactersMax: 40_000,
  eventsMax: 50,

  /** The share of a person's storage quota that each member of their threads can fill with messages and answers. */
  memberQuotaShare: 0.1,
  /** Applies only with a storage quota, because the quota does not limit empty files. */
  filesPerPerson: 20_000,
  filePage: 50,
  filePageMax: 100,

  searchPage: 20,
  searchPageMax: 50,
  /** Messages that are shown of each thread in a search by thread. */
  searchHitsPerThread: 3,
  /** Length of a search query. */
  searchCharacters: 1_000,
  /** The longest IANA name has 32. */
  timeZoneCharacters: 64,

  /** Per app. */
  assistantsMax: 100,
  assistantNameCharacters: 60,
  instructionsCharacters: 32_000,
  personalInstructionsCharacters: 8_000,
  pictureBytes: 64 * KiB,
  /** Per person, and shared ones per app. A list has the texts of all. */
  /** Questions that an assistant suggests for a new thread. */
  startersMax: 4,
  starterCharacters: 200,
  /** Model providers per server. */
  providersMax: 50,
  providerNameCharacters: 60,
  providerUrlCharacters: 500,
  providerKeyCharacters: 1_000,
  /** Models that answer one message in a comparison. */
  comparedMax: 4,
  /** Models that an owner selects of one provider. */
  offeredModelsMax: 500,
  /** US dollars per million tokens. */
  modelPriceMax: 10_000,
  /** The context, or the output, that an owner enters for a model. */
  modelTokensMax: 100_000_000,

  providerOptionsCharacters: 4_000,
  /** More than any model generates in one response. */
  outputTokensMax: 1_000_000,

  idCharacters: 48,
  nameCharacters: 255,
  titleCharacters: 255,
  metadataBytes: 16 * KiB,
  messageContentBytes: 8 * MiB,
  /** The default for request bodies: enough for ids and tokens. */
  bodyBytes: 4 * KiB,
  /** Bodies with text fields. The longest has 65,536 characters, each of up to six bytes in JSON. */
  formBodyBytes: 512 * KiB,
  /** Bodies with messages or whole conversations. */
  jsonBodyBytes: 16 * MiB,
  /** Time for any body to arrive. */
  bodyTimeoutMs: 10_000,
  /** Endpoints with larger bodies get one second more for each of these: 256 kbit/s. */
  bodyBytesPerSecond: 32 * KiB,
  /**
   * Entries of objects and lists in a JSON body. A conversation of 5,000 messages has 30,000. Parsing blocks the event
   * loop for up to 2 µs per entry (if all keys differ).
   */
  jsonValues: 50_000,
  /** Signed file URLs last 15 minutes, as in the protocol. */
  fileLinkMs: 15 * 60_000,
  /** `pdfBytes` in base64. */
  pdfBodyBytes: 35 * MiB,
  pdfBytes: 25 * MiB,
  /** URLs of page images last an hour, as in the protocol. */
  pageLinkMs: 3_600_000,
  /** More pages than fit in a model's context. */
  pdfPages: 200,
  /** Pages whose text is extracted: a long book. */
  pdfTextPages: 2_000,
  /** Time to render all pages of a PDF. */
  pdfMs: 60_000,
  /** Memory of the process that reads a PDF. */
  pdfMemoryBytes: 512 * MiB,
  /** Print quality: 1,240 by 1,754 pixels for A4. */
  pdfDotsPerInch: 150,
  /**
   * Larger pages are rendered at a lower resolution. 16 megapixels are nearly A1; models use less than a quarter of
   * that.
   */
  pdfPixels: 16_000_000,
  /** The same for the longer side. */
  pdfPixelsSide: 16_000,
  /** Text of one page; a dense page has about 5,000. */
  pdfPageCharacters: 100_000,
  /** Text of all pages; the rest is left out. */
  pdfCharacters: 2_000_000,
  /** All page images of one PDF. */
  pdfPictureBytes: 256 * MiB,
  /** Message content in one response. Without this, a page of messages could be a hundred times as large. */
  pageCharacters: 32 * MiB,

  /** The first texts of a thread, from which a model writes the title. The protocol's number. */
  titlePromptCharacters: 8_000,
  titleWords: 6,

  /** A summary of the oldest messages of a branch; models are asked for less. */
  summaryCharacters: 32_000,

  /** A text in a run report. The protocol's number. */
  reportTextCharacters: 50_000,
  /** Items of a list in a run report. The protocol's number. */
  reportItems: 1_000,
  /** The attributes of a run report. The protocol's number. */
  reportAttributesBytes: 16 * KiB,
  /** A comment on a score. */
  commentCharacters: 2_000,
  /** All properties of one UI event. */
  eventPropsBytes: KiB,
  /** An OTLP export, both compressed and uncompressed. The protocol's number. */
  traceBytes: 4 * MiB,
  /** Stored spans per trace. */
  traceSpans: 500,
  /** Days per usage query: a leap year. */
  usageDaysMax: 366,

  /** How often a client of the protocol sends a heartbeat of its lease: it can lose one and still be in time. */
  clientHeartbeatMs: 10_000,
  /** A client's lease without a heartbeat for this long: its answer is shown as interrupted. The protocol's number. */
  clientSilenceMs: 30_000,
  /** Open leases of a workspace whose clients still send heartbeats. */
  clientLeasesMax: 200,
  /** Three missed heartbeats. */
  runLeaseMs: 15_000,
  /** How often a process extends the lease of its runs. */
  runHeartbeatMs: 5_000,
  /**
   * Flush interval of the run log. The first words are flushed immediately. 20 updates per second look continuous; more
   * would cost every reader more bytes and work.
   */
  flushIntervalMs: 50,
  /** The flush interval while commits are slow. */
  flushIntervalMaxMs: 100,
  /** Model calls per run, including those after tool calls, unless an administrator chose another number. */
  runSteps: 50,
  /** What an administrator can choose. */
  runStepsMax: 500,
  /** Text, tool arguments and results of one answer, in case a model never stops. */
  runBytesMax: 4 * MiB,
  /** A source with a longer URL is left out. */
  sourceUrlCharacters: 2 * KiB,
  /** A longer title of a source is cut. */
  sourceTitleCharacters: KiB,
  /** A longer excerpt of a source is cut. */
  sourceExcerptCharacters: 2 * KiB,
  /** Parts of one answer. */
  runPartsMax: 1_000,
  /** Default timeout of one tool call, without the time that a person takes to approve it. */
  toolCallMs: 60_000,
  /** The text of the result of a tool that the server runs: about 25,000 tokens. */
  toolOutputCharacters: 100_000,
  /** A call that failed as often with the same arguments in one answer is not carried out again. */
  toolCallFailuresMax: 3,
  /** The JSON of a tool result from a person or a page. */
  toolResultCharacters: 64 * KiB,
  /** The reason for denying a tool call. */
  reasonCharacters: 2_000,
  /** Default timeout without any bytes from the model. */
  modelSilenceMs: 120_000,
  /** Timeout with heartbeats but no output. Some models think for many minutes first. */
  modelNoOutputMs: 20 * 60_000,
  /** Timeout of one step of an answer. */
  modelStepMs: 3 * 3_600_000,

  /** Interval of comment lines in idle streams, so that proxies and routers keep the connection. */
  streamHeartbeatMs: 15_000,
  /** A client that reads nothing for this long is disconnected, to free its buffers. */
  stalledReaderMs: 60_000,

  /** Queued messages per thread. */
  queuedMax: 20,
  /** Their total content. */
  queuedCharacters: 16 * MiB,
  /** Automatic retries of a run whose process died before the first token. */
  automaticRetriesMax: 2,

  /** Messages per imported thread: more than real threads have, and still a manageable list of ids. */
  importMessagesMax: 250_000,
  /** Files in an uploaded zip: more than a person writes in a lifetime. */
  importZipFilesMax: 100_000,
  /** Files per imported thread. */
  importFilesMax: 20_000,
  /** A conversation of another service, which is read into memory because its messages are unordered. */
  importConversationBytes: 64 * MiB,
  /** Per hour and user. One import may contain everything that a person has. */
  importsPerHour: 60,

  trashMs: 30 * 24 * 3_600_000,

  /** How long a file is kept that no message references: a person may take hours to send the message. */
  unusedFileMs: 24 * 3_600_000,

  /** How long a temporary thread is kept after a page last showed it. With the sweep, it is less than an hour. */
  temporaryOpenMs: 45 * 60_000,
  /** The same after a page reported that it is being closed: a reload takes less. */
  temporaryClosingMs: 2 * 60_000,

  ...factsOfAll("limits"),
} as const;
