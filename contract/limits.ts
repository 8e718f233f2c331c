/** Business constants. Each number says its unit; where it comes from stands beside it. */

const KiB = 1024;
const MiB = 1024 * KiB;

export const limits = {
  /** Access tokens live 5 minutes and refresh tokens 30 days, sliding: the protocol's own figures. */
  accessTokenMs: 5 * 60_000,
  refreshTokenMs: 30 * 24 * 3_600_000,
  /** A token is valid a little before its birth, for clocks that run behind (the protocol's `nbf = iat - 10`). */
  clockSkewMs: 10_000,

  /** Requests per minute and address. A client whose clock runs 5 minutes fast refreshes on every request, so not lower. */
  anonymousSignUpsPerMinute: 30,
  refreshesPerMinute: 120,
  /** The web app opens its session with every page: an office of hundreds behind one address starts its day at once. */
  sessionsPerMinute: 600,
  /** Events per minute and user, however they are batched. */
  eventsPerMinute: 600,

  threadPage: 20,
  threadPageMax: 100,
  messagePage: 200,
  messagePageMax: 200,
  branchPage: 100,
  runPage: 50,
  runPageMax: 100,
  scorePage: 50,
  scorePageMax: 200,
  messagesRemovedMax: 200,
  eventsMax: 50,

  /** Where a person's storage has a bound, for files without bytes have none. */
  filesPerPerson: 20_000,
  filePage: 50,
  filePageMax: 100,

  searchPage: 20,
  searchPageMax: 50,
  /** What is typed into a search. */
  searchCharacters: 1_000,
  /** The longest IANA name has 32. */
  timeZoneCharacters: 64,

  /** Assistants of a project, and what each may hold, in characters and items. */
  assistantsMax: 100,
  assistantNameCharacters: 60,
  instructionsCharacters: 32_000,
  startersMax: 4,
  starterCharacters: 200,
  /** More tokens than any model says at once. */
  outputTokensMax: 1_000_000,

  idCharacters: 48,
  nameCharacters: 255,
  titleCharacters: 255,
  metadataBytes: 16 * KiB,
  messageContentBytes: 8 * MiB,
  /** A request's body where its endpoint names no other limit: room for ids and tokens, and for nothing else. */
  bodyBytes: 4 * KiB,
  /** Fields of bounded text. The longest has 65,536 characters, and JSON may write each of them with six bytes. */
  formBodyBytes: 512 * KiB,
  /** Messages, and whole conversations. */
  jsonBodyBytes: 16 * MiB,
  /** The time for any body to arrive, and how much of a larger one must arrive in each second more: 256 kbit/s. */
  bodyTimeoutMs: 10_000,
  bodyBytesPerSecond: 32 * KiB,
  /**
   * Values in a JSON body: entries of objects and lists. A conversation of 5,000 messages has 30,000. Parsing takes up to
   * 2 µs for each, where every key is another one, and all other requests wait meanwhile.
   */
  jsonValues: 50_000,
  /** Signed addresses of files are good for 15 minutes: the protocol's own figure. */
  fileLinkMs: 15 * 60_000,
  /** 25 MiB of PDF in base64. */
  pdfBodyBytes: 35 * MiB,
  pdfBytes: 25 * MiB,
  /** Addresses of pages: the protocol's own figure. */
  pageLinkMs: 3_600_000,
  /** More pages than a model reads at once. */
  pdfPages: 200,
  /** Of which the text is read: a long book. */
  pdfTextPages: 2_000,
  /** For all pages of a PDF together. */
  pdfMs: 60_000,
  /** What the process that reads one may hold. */
  pdfMemoryBytes: 512 * MiB,
  /** A page as people print it: 1,240 by 1,754 pixels in A4. */
  pdfDotsPerInch: 150,
  /** A page with more is drawn smaller: 16 megapixels are A1, and a quarter of that is more than models look at. */
  pdfPixels: 16_000_000,
  pdfPixelsSide: 16_000,
  /** Of one page; a full one has some 5,000. */
  pdfPageCharacters: 100_000,
  /** Of all pages together: what is beyond is left out. */
  pdfCharacters: 2_000_000,
  /** The pictures of one PDF together. */
  pdfPictureBytes: 256 * MiB,
  /** Content in one answer, in characters; a page of rows could be a hundred times as large. */
  pageCharacters: 32 * MiB,

  /** What a title is made of: the first texts of a thread, up to the protocol's own 8,000 characters. */
  titlePromptCharacters: 8_000,
  titleWords: 6,

  /** What a report may say of a run made elsewhere: the protocol's own bounds, in characters, items and bytes. */
  reportTextCharacters: 50_000,
  reportItems: 1_000,
  reportAttributesBytes: 16 * KiB,
  /** A comment on a score. */
  commentCharacters: 2_000,
  /** An event's properties together. */
  eventPropsBytes: KiB,
  /** An OTLP export, as it is sent and unpacked: the protocol's own bound. */
  traceBytes: 4 * MiB,
  /** The spans that are kept of one trace. */
  traceSpans: 500,
  /** Usage is read at most this many days at once: a year and its ends. */
  usageDaysMax: 366,

  /** A run's lease, and its heartbeat: 15 s are three missed heartbeats of 5 s. */
  runLeaseMs: 15_000,
  runHeartbeatMs: 5_000,
  /**
   * The clock of the run log: the first event at once, then every 50 ms, stretching to 100 ms while commits are slow.
   * Twenty times a second looks like a flow; twice as often doubles the bytes and the work of every reader.
   */
  flushIntervalMs: 50,
  flushIntervalMaxMs: 100,
  /** An answer may think and call tools at most this many times before it must end. */
  runStepsMax: 12,
  /** An answer's text, tool arguments and results together; a model that never ends is cut here. */
  runBytesMax: 4 * MiB,
  /** Its parts: texts, thoughts, calls, sources. */
  runPartsMax: 1_000,
  /** A tool that says nothing else may take this long for one call, the time a person decides not counted. */
  toolCallMs: 60_000,
  /** What a person or a page may answer a tool call with, as JSON, in characters. */
  toolResultCharacters: 64 * KiB,
  /** Why a person did not allow a call. */
  reasonCharacters: 2_000,
  /** A model that sends nothing for this long is taken for dead. */
  modelSilenceMs: 120_000,
  /** One that sends signs of life and says nothing, for this long. Some think for many minutes before they speak. */
  modelNoOutputMs: 20 * 60_000,
  /** One step of an answer, however it goes on. */
  modelStepMs: 3 * 3_600_000,

  /** Idle streams say a comment line this often, so that proxies and people's routers keep them. */
  streamHeartbeatMs: 15_000,
  /** A reader that takes nothing for this long is cut off, so that what waits for it is let go. */
  stalledReaderMs: 60_000,

  /** Messages that wait in one thread, and their content together, in characters. */
  queuedMax: 20,
  queuedCharacters: 16 * MiB,
  /** A question whose process died before a word was said is asked again by itself this often. */
  automaticRetriesMax: 2,

  /** Messages of one thread that an import takes: more than anybody wrote, and what a list of their ids may hold. */
  importMessagesMax: 250_000,
  /** Files of one thread that an import takes. */
  importFilesMax: 20_000,
  /** A conversation of another service is read whole, for its messages come in no order. */
  importConversationBytes: 64 * MiB,
  /** Imports per hour and visitor, each of which may hold all that somebody has. */
  importsPerHour: 60,

  trashMs: 30 * 24 * 3_600_000,
} as const;
