;; emacs -q --batch -l emacs.el SNIPPET BROKEN SUITE
;; What a person does with eglot; SNIPPET is what editors/README.md says to put into init.el. Prints one JSON object.
;; -q and not -Q: Debian's eglot and yaml-mode are in site-lisp.
(package-initialize)
(require 'eglot)
(require 'yaml-mode)
(require 'json)
(require 'cl-lib)
(defconst patience 120 "Seconds: a loaded machine may need long.")
(setq eglot-sync-connect patience eglot-connect-timeout patience jsonrpc-default-request-timeout patience
      eglot-confirm-server-initiated-edits nil eglot-send-changes-idle-time 0.05
      flymake-no-changes-timeout 0.05 make-backup-files nil auto-save-default nil create-lockfiles nil)

(defun wait-for (what look)
  (let ((end (+ (float-time) patience)) seen)
    (while (and (not (setq seen (funcall look))) (< (float-time) end))
      (accept-process-output nil 0.02))
    (or seen (error "not seen: %s" what))))

(defun texts ()
  (eglot--signal-textDocument/didChange) ; an idle timer does it, and batch mode is never idle
  (flymake-start)
  (mapcar #'flymake-diagnostic-text (flymake-diagnostics)))

(defun a-text (pattern)
  (cl-find-if (lambda (text) (string-match-p pattern text)) (texts)))

(defun visit (file)
  (find-file file)
  ;; eglot-ensure waits for a command, and batch mode has none.
  (unless (eglot-managed-p) (apply #'eglot (eglot--guess-contact)))
  (wait-for "the server" #'eglot-managed-p))

(defun choose (wanted act)
  "Do ACT, choosing in each menu the first entry that begins with one of WANTED."
  (let ((last-nonmenu-event ?x)
        (completing-read-function
         (lambda (prompt entries &rest _)
           (push (substring-no-properties prompt) asked)
           (let ((titles (mapcar (lambda (e) (if (consp e) (car e) e)) entries)))
             (or (cl-some (lambda (w) (cl-find-if (lambda (title) (string-prefix-p w title)) titles)) wanted)
                 (error "none of %S in %S" wanted titles))))))
    (funcall act)))

(defvar asked nil "The questions that were answered.")
(defvar out nil)
(defun tell (key value) (push (cons key value) out))

(cl-destructuring-bind (snippet broken suite) command-line-args-left
  (setq command-line-args-left nil)
  (load snippet nil t)
  (tell 'emacs emacs-version)

  (visit broken)
  (tell 'mode (symbol-name major-mode))
  (wait-for "the problem" (lambda () (a-text "two bands")))
  (tell 'problems (vconcat (texts)))
  (goto-char (point-min))
  (search-forward "expected_outcome")
  (goto-char (match-beginning 0))
  (choose '("Rename" "Replace" "Use") (lambda () (call-interactively #'eglot-code-actions)))
  (wait-for "the fix" (lambda () (save-excursion (goto-char (point-min)) (search-forward "    criteria: Says hello" nil t))))
  (wait-for "one problem fewer" (lambda () (not (a-text "expected_outcome"))))

  (goto-char (point-max))
  (insert "\n  - id: third\n    exp")
  (eglot--signal-textDocument/didChange)
  (tell 'completion
        (vconcat (all-completions "exp" (nth 2 (eglot-completion-at-point)))))
  (set-buffer-modified-p nil)

  (visit suite)
  (goto-char (point-min))
  (search-forward "late-order")
  (choose '("Run case" "Run once") (lambda ()
    (call-interactively #'eglot-code-actions)
    (wait-for "the result" (lambda () (a-text "^.*failed with")))))
  (tell 'asked (vconcat asked))
  (tell 'results (vconcat (texts)))
  (eglot-shutdown (eglot-current-server)))
(princ (json-encode (nreverse out)))
(terpri)
