import { issueDetails, sentence, ValidationFailed, type ValidationIssue } from './validation-issue';

const issue = (path: string): ValidationIssue => ({ path, code: 'required', message: 'is required' });

describe('sentence', () => {
  it.each([
    ['', 'the body is required'],
    ['/habits', 'habits is required'],
    ['/habits/0/completion_rate', 'habits[0].completion_rate is required'],
    ['/0', '[0] is required'],
    ['/a~1b~0c', '["a/b~c"] is required'],
    ['/metadata/x y', 'metadata["x y"] is required'],
  ])('%j', (path, text) => expect(sentence(issue(path))).toBe(text));
});

describe('ValidationFailed', () => {
  it('says its first issue', () => {
    const error = new ValidationFailed([issue('/habits'), issue('/tasks')]);
    expect(error).toMatchObject({ kind: 'invalid', code: 'validation_failed', message: 'habits is required' });
    expect(error.details).toEqual({ issues: [issue('/habits'), issue('/tasks')] });
  });

  it('lists 20 issues and counts the rest', () => {
    const issues = Array.from({ length: 23 }, (_, i) => issue(`/${i}`));
    expect(issueDetails(issues.slice(0, 20))).toEqual({ issues: issues.slice(0, 20) });
    expect(new ValidationFailed(issues).details).toEqual({ issues: issues.slice(0, 20), more_issues: 3 });
  });
});
