/** Statements without which no play fails on the emulator, by their Sid, with the reason. */
export const notShown: Readonly<Record<string, string>> = {
  ReadStream: "MiniStack's event source reads the stream by itself, not under the function's role.",
  ListStreams: "MiniStack's event source finds the stream by itself.",
  KeepFailedRecords:
    'MiniStack does not bisect batches of a stream, and delivers nothing to an on-failure destination in S3.',
  FindFailedRecords: 'As above: Lambda itself looks for the bucket before it writes there.',
  TellAbsentObjects:
    'Without it S3 answers 403 instead of 404 for an object that is not there; MiniStack answers 404 either way.',
  NoteArchivedBeats: 'Without it, Archive logs that a beat could not be noted, and goes on.',
  SeeWhatWaits: 'Without it, Verify reports that the queue cannot be seen, and goes on.',
  WriteLog: "MiniStack keeps a function's output without asking its role.",
  ReceiveMessages: "MiniStack's event source receives and deletes messages by itself.",
};

export function isShown(sid: string): boolean {
  return !(sid in notShown);
}
